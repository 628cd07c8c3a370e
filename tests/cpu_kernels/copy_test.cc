// Copies and fills: between all dtypes, from and to any strides.
#include "tensors.h"

namespace {

constexpr tn::DType kAll[] = {TN_BOOL, TN_U8,  TN_I8,   TN_I16,    TN_I32,   TN_I64,
                              TN_U16,  TN_U32, TN_U64,  TN_F16,    TN_BF16,  TN_F32,
                              TN_F64,  TN_C64, TN_C128, TN_F8E4M3, TN_F8E5M2};

TEST(Copy, ConvertsBetweenAllDtypes) {
  tn::Tensor small = make({40, 30}, [](int64_t i) { return static_cast<double>(i % 8); });
  for (tn::DType from : kAll) {
    tn::Tensor source = small.to(from);
    for (tn::DType to : kAll) {
      std::vector<double> want = values(source.to(TN_F64));
      if (to == TN_BOOL)
        for (double& v : want) v = v != 0;
      EXPECT_EQ(values(source.to(to)), want) << from << " to " << to;
      tn::Tensor turned = tn::empty({30, 40}, to);
      tn::copy_(turned, tn::t(source));
      EXPECT_EQ(values(turned), values(tn::contiguous(tn::t(small)).to(from).to(to)));
    }
  }
}

TEST(Copy, TurnsPlanesOfAnySize) {
  for (tn::DType dtype : {TN_U8, TN_F16, TN_F32, TN_F64, TN_C128})
    for (const Sizes& s : {Sizes{64, 64}, Sizes{100, 257}, Sizes{1000, 9}, Sizes{2, 130, 70}}) {
      tn::Tensor t = make(
          s, [](int64_t i) { return static_cast<double>(i % 101); }, dtype);
      tn::Tensor turned = tn::contiguous(tn::transpose(t, -1, -2));
      const int64_t rows = s[s.size() - 2], columns = s.back();
      const std::vector<double> from = values(t), to = values(turned);
      for (size_t i = 0; i < to.size(); ++i) {
        const int64_t n = static_cast<int64_t>(i), plane = n / (rows * columns),
                      c = n / rows % columns, r = n % rows;
        ASSERT_EQ(to[i], from[static_cast<size_t>((plane * rows + r) * columns + c)]);
      }
    }
}

TEST(Copy, OfFloatsThatNoIntegerHolds) {
  tn::Tensor t = make({4}, [](int64_t i) {
    return std::vector<double>{std::nan(""), 1e30, -3.7, 300}[i];
  });
  EXPECT_EQ(values(t.to(TN_U8)), (std::vector<double>{0, 0, 253, 44}));
}

TEST(Fill, ReachesOnlyItsView) {
  for (tn::DType dtype : kAll) {
    tn::Tensor t = make(
        {10, 20}, [](int64_t) { return 1; }, dtype);
    tn::fill_(tn::slice(t, 1, 0, 20, 2), 0);
    const std::vector<double> v = values(t);
    for (size_t i = 0; i < v.size(); ++i) ASSERT_EQ(v[i], i % 2 ? 1 : 0);
    tn::zero_(t);
    EXPECT_EQ(values(t), std::vector<double>(200, 0));
  }
}

}  // namespace
