// Weights files without memory.
#include "weights.h"

namespace faults {
namespace {

TEST_F(Weights, are_loaded_or_not_without_memory) {
  save();
  expect_clean_faults({.run = [&] { return load(); },
                       .check =
                           [](const Results& r) {
                             EXPECT_THAT(numbers(r[0]), ElementsAre(0, 1, 2, 3, 4, 5));
                             EXPECT_THAT(numbers(r[1]), ElementsAre(0, 2, 1, 3));
                             EXPECT_EQ(r[2].item(), 1);
                           }});
}

TEST_F(Weights, are_saved_or_as_before_without_memory) {
  save(2);
  const std::string old = contents();
  save();
  const std::string fresh = contents();
  const Tensor list[] = {first_, tn::transpose(second_, 0, 1), third_};
  tn_tensor* raw[] = {list[0].get(), list[1].get(), list[2].get()};
  expect_clean_faults({.run = [&]() -> Results {
                         tn::check(save_list(raw));
                         return {};
                       },
                       .check = [&](const Results&) { EXPECT_EQ(contents(), fresh); },
                       .unchanged = {list[0], list[1], list[2]},
                       .check_failed =
                           [&] {
                             EXPECT_EQ(contents(), old);
                             EXPECT_THAT(others(), testing::IsEmpty());
                           },
                       .reset = [&] { put(old); }});
}

TEST_F(Weights, that_are_damaged_or_missing_are_told_of_without_memory) {
  const auto expect_error = [&](tn_code code) {
    expect_clean_faults({.run = [&]() -> Results {
                           try {
                             load();
                             ADD_FAILURE() << "no error";
                           } catch (const tn::Error& error) {
                             if (error.code() != code) throw;
                           }
                           return {};
                         },
                         .check = [](const Results&) {}});
  };
  expect_error(TN_IO_ERROR);  // there is none
  save();
  put(contents() + "more");
  expect_error(TN_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace faults
