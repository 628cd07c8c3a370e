// The generated calls: forms, numbers as operands, overloads, operators of C++.
#include <cstdlib>

#include "operators.h"

TEST(Calls, NumbersStandForTensors) {
  tn::Tensor x = floats({1, 2});
  EXPECT_THAT(values(2.0 * x + 1), ElementsAre(3, 5));
  EXPECT_THAT(values(1 - x), ElementsAre(0, -1));
  EXPECT_THAT(values(-(x / 2)), ElementsAre(-0.5f, -1));
  EXPECT_THAT(values(tn::add(x, x, 10)), ElementsAre(11, 22));
  EXPECT_EQ((ints({1}) * 2).dtype(), TN_I64);
  EXPECT_EQ((ints({1}) * 2.0).dtype(), TN_F32);
}

TEST(Calls, InPlaceReturnsTheTensorWritten) {
  tn::Tensor x = floats({1, 2});
  EXPECT_EQ(&tn::mul_(x, 3), &x);
  EXPECT_THAT(values(x), ElementsAre(3, 6));
}

TEST(Calls, OutWritesAGivenTensor) {
  tn::Tensor x = floats({1, 2}), out = tn::empty({2});
  EXPECT_EQ(&tn::add_out(out, x, 1), &out);
  EXPECT_THAT(values(out), ElementsAre(2, 3));
}

TEST(Calls, BracedListsAreDimensions) {
  tn::Tensor x = counting({2, 3});
  EXPECT_THAT(values(tn::sum(x, {1}, true)), ElementsAre(3, 12));
  EXPECT_THAT(values(tn::sum(x, {0, 1})), ElementsAre(15));
  EXPECT_THAT(values(tn::sum(x, {}, true)), ElementsAre(15));
  EXPECT_THAT(values(tn::sum(x)), ElementsAre(15));
  EXPECT_THAT(values(tn::clamp(x, {}, 2.0)), ElementsAre(0, 1, 2, 2, 2, 2));
}

TEST(Calls, ErrorsNameTheCall) {
  expect_error(TN_INVALID_ARGUMENT, "add(f32[2]@cpu, f32[3]@cpu", [] {
    floats({1, 2}) + floats({1, 2, 3});
  });
}

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  // Away from the tree's own tenon.toml, which is for programs.
  setenv("TENON_CONFIG", "/dev/null", 0);
  tn::init();
  return RUN_ALL_TESTS();
}
