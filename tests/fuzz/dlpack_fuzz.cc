// A DLPack tensor of any version, dtype, device, shape and strides: refused and left to its owner,
// or a tensor that reads exactly the memory described, and gives it back once.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include <tenon/tenon.h>

namespace {

// DLManagedTensorVersioned of dlpack.h, version 1.
struct Managed {
  uint32_t major, minor;
  void* context;
  void (*deleter)(Managed* self);
  uint64_t flags;
  tn_dltensor tensor;
};

constexpr int64_t kMostBytes = 1 << 16;

void require(bool expected, int line = __builtin_LINE()) {
  if (expected) return;
  std::fprintf(stderr, "line %d: not as expected\n", line);
  std::abort();
}

void count_release(Managed* managed) {
  ++*static_cast<int*>(managed->context);
}

int64_t extent(FuzzedDataProvider& in) {
  switch (in.ConsumeIntegralInRange(0, 7)) {
    case 0:
      return in.ConsumeIntegral<int64_t>();
    case 1:
      return in.PickValueInArray<int64_t>(
          {INT64_MIN, -1, INT64_MAX, int64_t{1} << 32, int64_t{1} << 62});
    default:
      return in.ConsumeIntegralInRange<int64_t>(0, 5);
  }
}

std::vector<int64_t> extents(FuzzedDataProvider& in, int32_t count) {
  std::vector<int64_t> list(static_cast<size_t>(count));
  for (int64_t& value : list) value = extent(in);
  return list;
}

// Bytes from `data` to behind the last element; nothing where that is negative, or more than is
// lent here.
std::optional<int64_t> span(const tn_dltensor& t, int64_t element) {
  __int128 last = 0, step = 1;
  bool empty = false;
  for (int d = t.ndim; d-- > 0;) {
    if (t.shape[d] < 0) return std::nullopt;
    if (t.shape[d] == 0) empty = true;
    if (t.shape[d] > 1) last += (t.shape[d] - __int128{1}) * (t.strides ? t.strides[d] : step);
    if (t.strides && t.strides[d] < 0) return std::nullopt;
    step = std::min(step * std::max<int64_t>(t.shape[d], 1), __int128{1} << 62);
    if (last > kMostBytes || (step > kMostBytes && !t.strides)) return std::nullopt;
  }
  if (empty) return 0;
  const auto bytes = static_cast<int64_t>(last + 1) * element;
  return bytes > kMostBytes ? std::nullopt : std::optional(bytes);
}

void read_all(tn_tensor* tensor) {
  if (tensor->numel > kMostBytes) return;  // an expanded one may have any number of elements
  std::vector<char> bytes(static_cast<size_t>(tensor->numel) *
                          tn_dtype_size(static_cast<tn_dtype>(tensor->dtype)));
  require(!tn_tensor_read(tensor, bytes.data(), bytes.size()));
}

// What was taken in can be handed on.
void export_again(tn_tensor* tensor) {
  void* managed = nullptr;
  require(!tn_tensor_to_dlpack(tensor, &managed));
  tn_tensor* second = nullptr;
  require(!tn_tensor_from_dlpack(managed, &second));
  require(second->numel == tensor->numel && second->dl.data == tensor->dl.data);
  tn_tensor_release(second);
}

void check(tn_tensor* tensor, const Managed& managed, bool readable) {
  const tn_dltensor &given = managed.tensor, &made = tensor->dl;
  require(made.ndim == given.ndim && made.byte_offset == 0);
  require(made.device.type == given.device.type);
  require(std::memcmp(&made.dtype, &given.dtype, sizeof made.dtype) == 0);
  for (int d = 0; d < made.ndim; ++d) {
    require(made.shape[d] == given.shape[d]);
    require(!given.strides || made.strides[d] == given.strides[d]);
  }
  char text[64];
  require(tn_tensor_describe(tensor, text, sizeof text) > 0);
  if (readable) read_all(tensor);
  export_again(tensor);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  setenv("TENON_CONFIG", "/dev/null", 1);
  require(!tn_init(TN_ABI_MAJOR, TN_ABI_MINOR));
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzedDataProvider in(data, size);
  int released = 0;
  Managed managed{};
  managed.major = in.ConsumeBool() ? 1 : in.ConsumeIntegral<uint32_t>();
  managed.minor = in.ConsumeIntegral<uint8_t>();
  managed.context = &released;
  managed.deleter = in.ConsumeIntegralInRange(0, 7) ? count_release : nullptr;
  managed.flags = in.ConsumeBool() ? 0 : in.ConsumeIntegral<uint64_t>();
  tn_dltensor& t = managed.tensor;
  t.device.type = in.ConsumeIntegralInRange(0, 3) ? 1 : in.ConsumeIntegral<int32_t>();
  t.device.index = in.ConsumeIntegralInRange(0, 3) ? 0 : in.ConsumeIntegral<int32_t>();
  t.dtype.code = in.ConsumeIntegralInRange<uint8_t>(0, 13);
  t.dtype.bits = in.ConsumeBool() ? in.PickValueInArray<uint8_t>({8, 16, 32, 64, 128})
                                  : in.ConsumeIntegral<uint8_t>();
  t.dtype.lanes = in.ConsumeIntegralInRange(0, 7) ? 1 : in.ConsumeIntegral<uint16_t>();
  t.ndim = in.ConsumeIntegralInRange(0, 7) ? in.ConsumeIntegralInRange(0, 6)
                                           : in.ConsumeIntegral<int8_t>();
  const int32_t listed = t.ndim < 0 ? 0 : t.ndim;
  std::vector<int64_t> shape = extents(in, listed), strides = extents(in, listed);
  t.shape = shape.data();
  t.strides = in.ConsumeIntegralInRange(0, 3) ? strides.data() : nullptr;
  t.byte_offset = in.ConsumeIntegralInRange(0, 3) ? 0 : in.ConsumeIntegralInRange(0, 64);

  // Exactly the memory that the tensor describes, so that the sanitizer sees one byte more.
  const bool known = t.ndim >= 0 && t.dtype.bits % 8 == 0;
  const std::optional<int64_t> bytes = known ? span(t, t.dtype.bits / 8) : std::nullopt;
  const size_t offset = static_cast<size_t>(t.byte_offset);
  std::unique_ptr<char[]> memory;
  if (bytes) {
    memory.reset(new char[offset + static_cast<size_t>(*bytes)]());
    t.data = memory.get();
  }
  tn_tensor* tensor = nullptr;
  if (tn_status status = tn_tensor_from_dlpack(&managed, &tensor)) {
    require(tn_status_code(status) != TN_INTERNAL && *tn_status_message(status));
    tn_status_release(status);
    require(released == 0 && !tensor);
    return 0;
  }
  require(managed.major == 1 && t.dtype.lanes == 1 && (tensor->numel == 0 || t.data));
  check(tensor, managed, bytes.has_value() && t.device.type == 1);
  require(released == 0);
  tn_tensor_release(tensor);
  require(released == (managed.deleter ? 1 : 0));
  return 0;
}
