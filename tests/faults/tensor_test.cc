// Making tensors, views and copies without memory.
#include "scenario.h"

namespace faults {
namespace {

void expect_one(const Tensor& t) {
  EXPECT_EQ(t.to_vector<float>().back(), 1);
}

TEST(FaultsInTensors, small_and_large) {
  expect_clean_faults(
      {.run =
           [] {
             return Results{tn::ones({2, 3}), tn::ones({1 << 14}), tn::ones({1 << 20})};
           },
       .check =
           [](const Results& r) {
             for (const Tensor& t : r) expect_one(t);
           }});
}

TEST(FaultsInTensors, of_more_dimensions_than_fit_inside) {
  expect_clean_faults({.run =
                           [] {
                             return Results{tn::ones({1, 2, 1, 2, 1, 2, 1, 2})};
                           },
                       .check = [](const Results& r) { expect_one(r[0]); }});
}

TEST(FaultsInTensors, views) {
  const Tensor x = counting({2, 3});
  expect_clean_faults({.run =
                           [&] {
                             return Results{
                                 tn::transpose(x, 0, 1), tn::slice(x, 1, 1, 3),
                                 tn::expand(tn::view(x, {1, 1, 1, 1, 2, 3}), {2, 1, 1, 1, 2, 3})};
                           },
                       .check =
                           [](const Results& r) {
                             EXPECT_THAT(numbers(r[0]), ElementsAre(0, 3, 1, 4, 2, 5));
                             EXPECT_THAT(numbers(r[1]), ElementsAre(1, 2, 4, 5));
                             EXPECT_EQ(numbers(r[2])[11], 5);
                           },
                       .unchanged = {x}});
}

TEST(FaultsInTensors, copies_into_other_orders_and_dtypes) {
  const Tensor x = counting({2, 3});
  expect_clean_faults(
      {.run =
           [&] {
             const Tensor turned = tn::transpose(x, 0, 1);
             return Results{tn::contiguous(turned), turned.to(TN_F64), tn::clone(turned)};
           },
       .check =
           [](const Results& r) {
             for (const Tensor& t : r) EXPECT_THAT(numbers(t), ElementsAre(0, 3, 1, 4, 2, 5));
           },
       .unchanged = {x}});
}

TEST(FaultsInTensors, resizing) {
  Tensor x;
  expect_clean_faults({.run =
                           [&] {
                             const int64_t sizes[] = {64, 64};
                             tn::check(tn::api->tensor_resize(x.get(), 2, sizes));
                             return Results{x};
                           },
                       .check =
                           [](const Results& r) {
                             EXPECT_EQ(r[0].numel(), 4096);
                             EXPECT_EQ(r[0].data<float>()[5], 5);
                           },
                       .reset =
                           [&] {
                             x = tn::clone(counting({2, 3}));
                           }});
}

TEST(FaultsInTensors, random_numbers) {
  Tensor x = tn::zeros({1000});
  const Tensor before = tn::clone(x);
  expect_clean_faults(
      {.run =
           [&] {
             tn::normal_(x);
             return Results{tn::rand({1000}), tn::randperm(10), x};
           },
       .check =
           [](const Results& r) {
             EXPECT_THAT(numbers(r[0]), Each(testing::AllOf(testing::Ge(0), testing::Lt(1))));
             EXPECT_THAT(numbers(r[1]),
                         testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
           }});
}

TEST(FaultsInTensors, generators) {
  tn_object* generator = nullptr;
  expect_clean_faults(
      {.run =
           [&] {
             tn::check(tn::api->generator_create(tn::Device("cpu"), 7, &generator));
             return Results{};
           },
       .check =
           [&](const Results&) {
             uint64_t seed = 0, offset = 0;
             tn::check(tn::api->generator_get_state(generator, tn::Device("cpu"), &seed, &offset));
             EXPECT_EQ(seed, 7u);
             tn::api->object_release(std::exchange(generator, nullptr));
           }});
}

TEST(FaultsInTensors, exchange_by_dlpack) {
  const Tensor x = counting({2, 3});
  expect_clean_faults(
      {.run =
           [&] {
             void* managed = nullptr;
             tn::check(tn::api->tensor_to_dlpack(x.get(), &managed));
             tn_tensor* back = nullptr;
             if (tn_status status = tn::api->tensor_from_dlpack(managed, &back)) {
               // What was not taken over stays ours: as every importer does, this one deletes it.
               struct Managed {
                 uint32_t major, minor;
                 void* context;
                 void (*deleter)(void*);
               };
               static_cast<Managed*>(managed)->deleter(managed);
               tn::check(status);
             }
             return Results{Tensor::own(back)};
           },
       .check = [](const Results& r) { EXPECT_THAT(numbers(r[0]), ElementsAre(0, 1, 2, 3, 4, 5)); },
       .unchanged = {x}});
}

}  // namespace
}  // namespace faults
