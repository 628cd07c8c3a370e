// What leaves the core: DLPack's struct and owned values (rules 12 and 13 of the hard cases).
#include <cstddef>

#include "fixture.h"

namespace tn::test {
namespace {

using Exchange = Dispatch;

TEST_F(Exchange, rule_12_dlpack_goes_out_and_comes_back_without_a_copy) {
  Tensor base = f32({2, 3});
  Tensor a = transposed(base);
  void* managed = nullptr;
  check(api->tensor_to_dlpack(a.get(), &managed));
  tn_tensor* raw = nullptr;
  check(api->tensor_from_dlpack(managed, &raw));
  Tensor b = Tensor::own(raw);
  EXPECT_EQ(b.get()->dl.data, a.get()->dl.data);
  EXPECT_EQ(b.strides(), a.strides());
  EXPECT_EQ(b.get()->dl.byte_offset, 0u);
}

// DLPack 1.x, spelled out: DLManagedTensorVersioned and what is in it.
struct DlManagedTensor {
  struct {
    uint32_t major, minor;
  } version;
  void* manager_context;
  void (*deleter)(DlManagedTensor*);
  uint64_t flags;
  struct {
    void* data;
    struct {
      int32_t type, id;
    } device;
    int32_t ndim;
    struct {
      uint8_t code, bits;
      uint16_t lanes;
    } dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
  } tensor;
};
using DlTensor = decltype(DlManagedTensor::tensor);
static_assert(sizeof(tn_dltensor) == sizeof(DlTensor));
static_assert(offsetof(tn_dltensor, data) == offsetof(DlTensor, data));
static_assert(offsetof(tn_dltensor, device) == offsetof(DlTensor, device));
static_assert(offsetof(tn_dltensor, ndim) == offsetof(DlTensor, ndim));
static_assert(offsetof(tn_dltensor, dtype) == offsetof(DlTensor, dtype));
static_assert(offsetof(tn_dltensor, shape) == offsetof(DlTensor, shape));
static_assert(offsetof(tn_dltensor, strides) == offsetof(DlTensor, strides));
static_assert(offsetof(tn_dltensor, byte_offset) == offsetof(DlTensor, byte_offset));

TEST_F(Exchange, rule_12_an_offset_in_bytes_is_taken_into_the_pointer) {
  float data[] = {0, 1, 2, 3};
  int64_t shape[] = {2};
  static int deleted;
  deleted = 0;
  DlManagedTensor managed{};
  managed.version = {1, 1};
  managed.deleter = [](DlManagedTensor*) { ++deleted; };
  managed.tensor = {data, {1, 0}, 1, {2, 32, 1}, shape, nullptr, 2 * sizeof(float)};
  tn_tensor* raw = nullptr;
  check(api->tensor_from_dlpack(&managed, &raw));
  {
    Tensor t = Tensor::own(raw);
    EXPECT_EQ(t.get()->dl.data, data + 2);
    EXPECT_EQ(t.get()->dl.byte_offset, 0u);
    EXPECT_EQ(t.to_vector<float>(), (std::vector<float>{2, 3}));
    EXPECT_EQ(t.strides(), (Ints{1})) << "never null";
  }
  EXPECT_EQ(deleted, 1);
}

TEST_F(Exchange, rule_13_lists_of_tensors_complex_numbers_and_objects_are_owned_too) {
  Tensor a = f32({1});
  tn_tensor* tensors[] = {a.get(), nullptr};
  const double complex[] = {1, -2};
  static int destroyed;
  destroyed = 0;
  static const tn_object_type kType = [] {
    tn_object_type type = TN_INIT(tn_object_type);
    type.name = "test.thing";
    type.destroy = [](tn_object*) { ++destroyed; };
    return type;
  }();
  tn_object object;
  api->object_init(&object, &kType);
  tn_value given[3] = {}, copies[3] = {};
  given[0].tag = TN_TAG_TENSORS;
  given[0].len = 2;
  given[0].u.tensors = tensors;
  given[1].tag = TN_TAG_COMPLEX;
  given[1].u.floats = complex;
  given[2].tag = TN_TAG_OBJECT;
  given[2].u.object = &object;
  for (int i = 0; i < 3; ++i) check(api->value_copy(&given[i], &copies[i]));
  EXPECT_NE(copies[0].u.tensors, given[0].u.tensors);
  EXPECT_EQ(copies[0].u.tensors[0], a.get());
  EXPECT_EQ(copies[0].u.tensors[1], nullptr);
  EXPECT_EQ(api->tensor_use_count(a.get()), 2u);
  EXPECT_NE(copies[1].u.floats, complex);
  EXPECT_EQ(copies[1].u.floats[1], -2);
  api->object_release(&object);
  EXPECT_EQ(destroyed, 0);
  for (tn_value& copy : copies) api->value_drop(&copy);
  EXPECT_EQ(api->tensor_use_count(a.get()), 1u);
  EXPECT_EQ(destroyed, 1);
}

TEST_F(Exchange, rule_13_values_own_what_they_hold) {
  const int64_t ints[] = {1, 2, 3};
  Tensor a = f32({1});
  for (tn_value v : {to_value(Ints(ints, 3)), to_value("text"), to_value(a), to_value(1.5)}) {
    tn_value copy{};
    check(api->value_copy(&v, &copy));
    EXPECT_EQ(copy.tag, v.tag);
    if (v.tag == TN_TAG_INTS) {
      EXPECT_NE(copy.u.ints, v.u.ints);
      EXPECT_EQ(copy.u.ints[2], 3);
    }
    if (v.tag == TN_TAG_STRING) {
      EXPECT_STREQ(copy.u.str, "text");
    }
    api->value_drop(&copy);
    EXPECT_EQ(copy.tag, TN_TAG_NONE);
  }
}

}  // namespace
}  // namespace tn::test
