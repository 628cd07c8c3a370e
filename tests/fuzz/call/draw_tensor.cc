// Tensors of any dtype, shape and layout, with values that arithmetic stumbles over.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>

#include <tenon/half.h>
#include <tenon/sdk/autograd.h>

#include "draw.h"

namespace fuzz {
namespace {

using tn::DType;
using tn::Tensor;

constexpr DType kDtypes[] = {TN_F32,  TN_F32, TN_F32, TN_F32, TN_F64,    TN_F64,   TN_I64,  TN_I64,
                             TN_BOOL, TN_U8,  TN_I8,  TN_I16, TN_I32,    TN_F16,   TN_BF16, TN_C64,
                             TN_C128, TN_U16, TN_U32, TN_U64, TN_F8E4M3, TN_F8E5M2};

// A few values of each kind, of which the first six are ordinary, and the first two of integers fit
// as indices; tensors repeat them from some place on.
constexpr size_t kAny = 12, kOrdinary = 6, kIndices = 2;
template <class T>
constexpr std::array<T, 12> kIntegers = {0,
                                         1,
                                         2,
                                         1,
                                         0,
                                         3,
                                         static_cast<T>(-1),
                                         2,
                                         1,
                                         std::numeric_limits<T>::max(),
                                         0,
                                         std::numeric_limits<T>::min()};
template <class T>
constexpr std::array<T, 12> kReals = {T(0.5),
                                      1,
                                      -1,
                                      2,
                                      0,
                                      T(-0.25),
                                      3,
                                      std::numeric_limits<T>::infinity(),
                                      T(-0.0),
                                      std::numeric_limits<T>::quiet_NaN(),
                                      std::numeric_limits<T>::max(),
                                      std::numeric_limits<T>::denorm_min()};
constexpr std::array<uint8_t, 12> kBits8 = {0x38, 0x00, 0x80, 0x7f, 0xff, 0x7e,
                                            0x01, 0x40, 0xb8, 0x7c, 0x34, 0x3c};
constexpr std::array<uint16_t, 12> kBits16 = {0x3c00, 0x3f80, 0x8000, 0x7c00, 0x7fff, 0x0001,
                                              0xbc00, 0xbf80, 0x4000, 0x7bff, 0xfc00, 0x3e00};

template <class T>
void repeat(const std::array<T, 12>& values, size_t from, size_t choices, void* out,
            size_t nbytes) {
  auto* to = static_cast<T*>(out);
  for (size_t i = 0; i < nbytes / sizeof(T); ++i)
    to[i] = values[(from + i * (from % 3 + 1)) % choices];
}

void fill(DType dtype, size_t from, size_t choices, void* out, size_t nbytes) {
  switch (dtype) {
    case TN_BOOL:
      return repeat<uint8_t>({0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0}, from, choices, out, nbytes);
    case TN_U8:
      return repeat(kIntegers<uint8_t>, from, choices, out, nbytes);
    case TN_I8:
      return repeat(kIntegers<int8_t>, from, choices, out, nbytes);
    case TN_I16:
    case TN_U16:
      return repeat(kIntegers<int16_t>, from, choices, out, nbytes);
    case TN_I32:
    case TN_U32:
      return repeat(kIntegers<int32_t>, from, choices, out, nbytes);
    case TN_I64:
    case TN_U64:
      return repeat(kIntegers<int64_t>, from, choices, out, nbytes);
    case TN_F32:
    case TN_C64:
      return repeat(kReals<float>, from, choices, out, nbytes);
    case TN_F64:
    case TN_C128:
      return repeat(kReals<double>, from, choices, out, nbytes);
    case TN_F16:
    case TN_BF16:
      return repeat(kBits16, from, choices, out, nbytes);
    default:
      return repeat(kBits8, from, choices, out, nbytes);
  }
}

int64_t count_of(const std::vector<int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

}  // namespace

DType Draw::dtype() {
  return in_.PickValueInArray(kDtypes);
}

tn::Device Draw::device() {
  static const tn::Device cpu("cpu"), meta("meta");
  if (misfit(32)) return tn_device{in_.ConsumeIntegral<int32_t>(), in_.ConsumeIntegral<int32_t>()};
  return one_in(6) ? meta : cpu;
}

std::vector<int64_t> Draw::random_shape(int most_dims) {
  std::vector<int64_t> sizes(static_cast<size_t>(in_.ConsumeIntegralInRange(0, most_dims)));
  for (int64_t& size : sizes) size = one_in(12) ? 0 : in_.ConsumeIntegralInRange<int64_t>(1, 4);
  return sizes;
}

std::vector<int64_t> Draw::vector_shape() {
  if (usual_shape_.empty()) return {1};
  return {usual_shape_[index(usual_shape_.size())]};
}

std::vector<int64_t> Draw::shape() {
  std::vector<int64_t> sizes = usual_shape_;
  if (careful_ && !one_in(3)) return sizes;
  switch (in_.ConsumeIntegralInRange(0, 9)) {
    case 0:
      return {};
    case 1:
      return random_shape(5);
    case 2:  // broadcasts to the usual one
      for (int64_t& size : sizes)
        if (one_in(2)) size = 1;
      return sizes;
    case 3:  // only its last dimensions
      if (!sizes.empty())
        sizes.erase(sizes.begin(), sizes.begin() + static_cast<ptrdiff_t>(1 + index(sizes.size())));
      return sizes;
    case 4:  // as a factor of a matrix product
      if (sizes.size() > 1) std::swap(sizes.back(), sizes[sizes.size() - 2]);
      return sizes;
    case 5:
      return vector_shape();
    case 6:  // one dimension has another size
      if (!sizes.empty()) sizes[index(sizes.size())] = in_.ConsumeIntegralInRange<int64_t>(0, 4);
      return sizes;
    default:
      return sizes;
  }
}

// Names that many operators share say what fits.
Tensor Draw::tensor(std::string_view name) {
  const bool is_index = name == "index" || name == "indices" || name == "target";
  const bool per_channel = name == "weight" || name == "bias" || name.find('_') != name.npos;
  if (!tensors.empty() && one_in(12)) return alias_of(tensors[index(tensors.size())]);
  if (careful_ && is_index && !one_in(8))
    return strided(TN_I64, one_in(2) ? vector_shape() : shape(), kIndices);
  const DType type = one_in(careful_ ? 12 : 3) ? dtype() : usual_dtype_;
  Tensor made = strided(type, careful_ && per_channel && one_in(2) ? vector_shape() : shape());
  if (one_in(32)) return made.to(tn::Device("meta"));
  if (one_in(4)) {  // refused for dtypes without gradients
    tn::api->status_release(tn::autograd().set_requires_grad(made.get(), 1));
  }
  return made;
}

// Values over memory of exactly the extent that the strides reach.
Tensor Draw::strided(DType type, const std::vector<int64_t>& sizes, size_t choices) {
  tn_meta meta{};
  tn::check(tn::api->device_host(&meta.device));
  meta.dtype = static_cast<uint16_t>(type);
  meta.ndim = static_cast<int32_t>(sizes.size());
  std::copy(sizes.begin(), sizes.end(), meta.sizes);

  std::vector<size_t> order(sizes.size());  // innermost first
  for (size_t i = 0; i < order.size(); ++i) order[i] = order.size() - 1 - i;
  int64_t step = 1, offset = 0;
  bool expanded = false;
  switch (in_.ConsumeIntegralInRange(0, 7)) {
    case 0:
      std::reverse(order.begin(), order.end());
      break;
    case 1:
      if (order.size() > 1) std::swap(order[0], order[1 + index(order.size() - 1)]);
      break;
    case 2:
      step = in_.ConsumeIntegralInRange<int64_t>(2, 3);
      break;
    case 3:
      offset = in_.ConsumeIntegralInRange<int64_t>(1, 3);
      break;
    case 4:
      expanded = one_in(2);
      break;
    default:
      break;
  }
  int64_t last = 0;
  meta.has_strides = 1;
  for (const size_t d : order) {
    const bool repeats = expanded && one_in(2);
    meta.strides[d] = repeats ? 0 : step;
    if (sizes[d] > 1) last += (sizes[d] - 1) * meta.strides[d];
    if (!repeats) step *= std::max<int64_t>(sizes[d], 1);
  }
  const bool empty = count_of(sizes) == 0;
  const int64_t needed = empty ? 0 : last + 1;
  if (empty && one_in(4))  // which then may have any strides
    for (size_t d = 0; d < sizes.size(); ++d) meta.strides[d] = std::max<int64_t>(integer(), 0);

  tn_meta flat{};
  flat.device = meta.device;
  flat.dtype = meta.dtype;
  flat.ndim = 1;
  flat.sizes[0] = offset + needed;
  tn_tensor* raw = nullptr;
  tn::check(tn::api->tensor_empty(&flat, &raw));
  Tensor whole = Tensor::own(raw);
  const size_t from = in_.ConsumeIntegral<uint8_t>();
  if (choices == 0) choices = one_in(4) ? kAny : kOrdinary;
  fill(type, from, choices, whole.data<void>(),
       static_cast<size_t>(flat.sizes[0]) * tn::api->dtype_size(type));
  if (one_in(3)) {  // a view, with what hangs on one
    tn_tensor* view = nullptr;
    tn::check(
        tn::api->tensor_view(raw, meta.ndim, meta.sizes, meta.strides, offset, type, 0, &view));
    return Tensor::own(view);
  }
  tn::check(tn::api->tensor_restride(raw, meta.ndim, meta.sizes, meta.strides, offset));
  return whole;
}

// The same tensor once more, or another view of its memory.
Tensor Draw::alias_of(const Tensor& base) {
  if (base.dim() == 0 || one_in(2)) return base;
  std::vector<int64_t> sizes = base.sizes().vector();
  int64_t offset = base.storage_offset();
  const size_t d = index(sizes.size());
  if (sizes[d] > 1) {
    sizes[d] -= 1;
    if (one_in(2) && base.numel() > 0) offset += base.strides()[d];
  }
  tn_tensor* view = nullptr;
  tn::check(tn::api->tensor_view(base.get(), static_cast<int32_t>(base.dim()), sizes.data(),
                                 base.strides().data(), offset, base.dtype(), 0, &view));
  return Tensor::own(view);
}

}  // namespace fuzz
