// tn::Tensor: a counted reference to a tensor, a value type as cheap as a pointer.
//
// Copies share the tensor. Metadata is read in place. Operators are free functions (tn::add,
// <tenon/calls.h>, generated from the operators' declarations); the members here are what needs no
// operator.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tenon/sdk/types.h>

namespace tn {

class Tensor {
 public:
  Tensor() noexcept {}
  Tensor(const Tensor& other) noexcept : tensor_(other.tensor_) {
    if (tensor_) api->tensor_retain(tensor_);
  }
  Tensor(Tensor&& other) noexcept : tensor_(std::exchange(other.tensor_, nullptr)) {}
  Tensor& operator=(Tensor other) noexcept {
    std::swap(tensor_, other.tensor_);
    return *this;
  }
  ~Tensor() {
    if (tensor_) api->tensor_release(tensor_);
  }

  // Takes over a reference that the caller owns.
  static Tensor own(tn_tensor* tensor) noexcept {
    Tensor t;
    t.tensor_ = tensor;
    return t;
  }
  // Adds a reference to a tensor that someone else owns.
  static Tensor share(tn_tensor* tensor) noexcept {
    return own(tensor ? api->tensor_retain(tensor) : nullptr);
  }

  tn_tensor* get() const noexcept { return tensor_; }
  // Gives the reference up.
  tn_tensor* release() noexcept { return std::exchange(tensor_, nullptr); }
  bool defined() const noexcept { return tensor_ != nullptr; }
  explicit operator bool() const noexcept = delete;  // ask defined(), or item() for the value

  int64_t dim() const { return tensor_->dl.ndim; }
  Ints sizes() const { return {tensor_->dl.shape, static_cast<size_t>(tensor_->dl.ndim)}; }
  Ints strides() const { return {tensor_->dl.strides, static_cast<size_t>(tensor_->dl.ndim)}; }
  // Negative dimensions count from the end. Throws Error outside the range.
  tn::dim size(int64_t dim) const { return tensor_->dl.shape[wrap(dim)]; }
  int64_t stride(int64_t dim) const { return tensor_->dl.strides[wrap(dim)]; }
  int64_t numel() const { return tensor_->numel; }
  DType dtype() const { return static_cast<DType>(tensor_->dtype); }
  Device device() const { return tensor_->dl.device; }
  bool is_contiguous() const { return tensor_->flags & TN_TENSOR_CONTIGUOUS; }
  bool is_channels_last() const { return tensor_->flags & TN_TENSOR_CHANNELS_LAST; }
  int64_t storage_offset() const { return api->tensor_storage_offset(tensor_); }
  uint64_t version() const { return api->tensor_version(tensor_); }
  template <class T>
  T* data() const {
    return static_cast<T*>(tensor_->dl.data);
  }
  // "f32[2,3]@cpu", for messages.
  std::string describe() const {
    if (!tensor_) return "none";
    char text[256];
    api->tensor_describe(tensor_, text, sizeof text);
    return text;
  }

  // The only element. Throws Error unless numel is 1.
  template <class T = double>
  T item() const {
    tn_value v{};
    check(api->tensor_item(tensor_, &v));
    Scalar s(v);
    api->value_drop(&v);
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(s.real());
    else if constexpr (std::is_integral_v<T>)
      return static_cast<T>(s.integer());
    else
      return static_cast<T>(s.complex());
  }
  // All elements in row-major order, copied from any device and layout; T must be as large as the
  // dtype.
  template <class T>
  std::vector<T> to_vector() const {
    std::vector<T> out(static_cast<size_t>(numel()));
    check(api->tensor_read(tensor_, out.data(), out.size() * sizeof(T)));
    return out;
  }

  // Conversions return this tensor itself where it already has the wanted form.
  Tensor to(Device device) const { return to(device, dtype()); }
  Tensor to(DType dtype) const { return to(device(), dtype); }
  Tensor to(Device device, DType dtype) const {
    tn_tensor* out = nullptr;
    check(api->tensor_to(tensor_, device, dtype, &out));
    return own(out);
  }

  // Autograd, through the interface "tenon.autograd"; see autograd.h of the ABI.
  bool requires_grad() const;
  Tensor& requires_grad_(bool on = true);
  Tensor grad() const;
  void set_grad(const Tensor& grad);
  void backward(const Tensor& gradient = {}, uint32_t flags = 0) const;

 private:
  size_t wrap(int64_t dim) const {
    const int64_t n = tensor_->dl.ndim;
    if (dim < -n || dim >= n)
      fail(TN_INDEX_ERROR, "dimension %lld is outside [%lld, %lld) of %s",
           static_cast<long long>(dim), static_cast<long long>(-n), static_cast<long long>(n),
           describe().c_str());
    return static_cast<size_t>(dim < 0 ? dim + n : dim);
  }
  tn_tensor* tensor_ = nullptr;
};
static_assert(sizeof(Tensor) == sizeof(tn_tensor*), "a list of Tensor is a list of tn_tensor*");

using Tensors = List<Tensor>;

// A tensor or a number that stands for one, as element-wise operators take. Borrowed: for
// parameters only.
class Operand {
 public:
  Operand(const Tensor& t) : value_{TN_TAG_TENSOR, 0, 0, {}} { value_.u.tensor = t.get(); }
  Operand(const Scalar& s) : scalar_(s), value_(scalar_.value()) {}
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  Operand(T number) : Operand(Scalar(number)) {}
  Operand(const Operand& o) : scalar_(o.scalar_), value_(o.value_) {
    if (value_.tag == TN_TAG_COMPLEX) value_ = scalar_.value();
  }
  Operand& operator=(const Operand&) = delete;
  tn_value value() const { return value_; }

 private:
  Scalar scalar_;
  tn_value value_;
};

}  // namespace tn
