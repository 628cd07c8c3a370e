// softmax.h - softmax, its logarithm, and the logarithm of a sum of exponentials; all stable: the
// maximum is taken off before anything is exponentiated.
#pragma once

#include <vector>

#include <tenon/sdk/declare.h>

namespace tn::ops {

namespace softmax_detail {

// One dimension, or the one element of a 0-dim tensor.
inline void expect_dim(const Tensor& self, int64_t dim) {
  const int64_t rank = self.dim() ? self.dim() : 1;
  if (dim < -rank || dim >= rank)
    fail(TN_INDEX_ERROR, "dim is %lld, outside [%lld, %lld) of %s", static_cast<long long>(dim),
         static_cast<long long>(-rank), static_cast<long long>(rank), self.describe().c_str());
}
inline void forward(const Tensor& self, int64_t dim, bool half_to_float, MetaOut& out) {
  expect_dim(self, dim);
  if (!is_floating(self.dtype()))
    fail(TN_NOT_IMPLEMENTED, "self must be of a float dtype, got %s; pass dtype to convert it",
         self.describe().c_str());
  if (half_to_float)
    fail(TN_INVALID_ARGUMENT, "half_to_float must be False; convert the input instead");
  out.set(self.sizes(), self.dtype());
}
inline void backward(const Tensor& grad_output, const Tensor& output, int64_t dim,
                     DType input_dtype, MetaOut& out) {
  expect_dim(output, dim);
  if (grad_output.sizes() != output.sizes() || grad_output.dtype() != output.dtype())
    fail(TN_INVALID_ARGUMENT,
         "grad_output and output must have the same sizes and dtype, got %s and %s",
         grad_output.describe().c_str(), output.describe().c_str());
  if (input_dtype != output.dtype())
    fail(TN_TYPE_ERROR, "input_dtype must be the output's dtype, got %s and %s",
         api->dtype_name(input_dtype), output.describe().c_str());
  out.set(output.sizes(), output.dtype());
}
template <class T>
T total(const T& x, int64_t dim) {
  return x.dim() == 0 ? x : sum(x, Ints{dim}, true);
}

}  // namespace softmax_detail

struct SoftmaxForward : structured {
  static constexpr auto schema = "_softmax(Tensor self, int dim, bool half_to_float) -> Tensor";
  static constexpr auto doc = "exp(self) divided by its sum along dim, without dtype conversion.";
  static void infer(const Tensor& self, int64_t dim, bool half_to_float, MetaOut out) {
    softmax_detail::forward(self, dim, half_to_float, out);
  }
  static constexpr auto gradients = std::make_tuple(gradient<0>(
      reads<ret<0>, integer<1>, dtype_of<0>>, [](auto g, auto y, int64_t dim, DType dtype) {
        return _softmax_backward_data(g, y, dim, dtype);
      }));
};

struct LogSoftmaxForward : structured {
  static constexpr auto schema = "_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor";
  static constexpr auto doc =
      "self minus the logarithm of the sum of exp(self) along dim, without dtype conversion.";
  static void infer(const Tensor& self, int64_t dim, bool half_to_float, MetaOut out) {
    softmax_detail::forward(self, dim, half_to_float, out);
  }
  static constexpr auto gradients = std::make_tuple(gradient<0>(
      reads<ret<0>, integer<1>, dtype_of<0>>, [](auto g, auto y, int64_t dim, DType dtype) {
        return _log_softmax_backward_data(g, y, dim, dtype);
      }));
};

struct SoftmaxBackward : structured {
  static constexpr auto schema =
      "_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) "
      "-> Tensor";
  static constexpr auto doc =
      "output * (grad_output - sum(grad_output * output)), summed along dim.";
  static void infer(const Tensor& grad_output, const Tensor& output, int64_t dim, DType input_dtype,
                    MetaOut out) {
    softmax_detail::backward(grad_output, output, dim, input_dtype, out);
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<1>, integer<2>, dtype_of<1>>,
                  [](auto g, auto y, int64_t dim, DType dtype) {
                    return _softmax_backward_data(g, y, dim, dtype);
                  }),
      gradient<1>(
          reads<arg<0>, arg<1>, integer<2>>, [](auto g, auto grad_output, auto y, int64_t dim) {
            auto inner = sub(grad_output, softmax_detail::total(mul(grad_output, y), dim));
            return sub(mul(g, inner), mul(grad_output, softmax_detail::total(mul(g, y), dim)));
          }));
};

struct LogSoftmaxBackward : structured {
  static constexpr auto schema =
      "_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType "
      "input_dtype) -> Tensor";
  static constexpr auto doc = "grad_output - exp(output) * sum(grad_output), summed along dim.";
  static void infer(const Tensor& grad_output, const Tensor& output, int64_t dim, DType input_dtype,
                    MetaOut out) {
    softmax_detail::backward(grad_output, output, dim, input_dtype, out);
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<1>, integer<2>>,
                  [](auto g, auto y, int64_t dim) {
                    return sub(g, softmax_detail::total(mul(g, exp(y)), dim));
                  }),
      gradient<1>(reads<arg<0>, arg<1>, integer<2>>,
                  [](auto g, auto grad_output, auto y, int64_t dim) {
                    return neg(mul(mul(g, exp(y)), softmax_detail::total(grad_output, dim)));
                  }));
};

struct Softmax : composite {
  static constexpr auto schema =
      "softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor";
  static constexpr auto doc =
      "exp(self) divided by its sum along dim; self is converted to dtype first.";
  template <class T>
  static T decompose(const T& self, int64_t dim, std::optional<DType> dtype) {
    return _softmax(dtype ? self.to(*dtype) : self, dim, false);
  }
};

struct LogSoftmax : composite {
  static constexpr auto schema =
      "log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor";
  static constexpr auto doc =
      "The logarithm of softmax, computed without forming it; self is converted to dtype first.";
  template <class T>
  static T decompose(const T& self, int64_t dim, std::optional<DType> dtype) {
    return _log_softmax(dtype ? self.to(*dtype) : self, dim, false);
  }
};

struct Logsumexp : composite {
  static constexpr auto schema = "logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor";
  static constexpr auto doc = "The logarithm of the sum of exp(self) over the given dimensions.";
  template <class T>
  static T decompose(const T& self, Ints dim, bool keepdim) {
    const T x = is_floating(self.dtype()) ? self : T(mul(self, Scalar(1.0)));
    if (x.numel() == 0) return log(sum(exp(x), dim, keepdim));
    // An infinite maximum is not taken off: inf - inf is no number.
    const T most = detach(amax(x, dim, true));
    const T shift = masked_fill(most, isinf(most), Scalar(0));
    const T shifted = log(sum(exp(sub(x, shift)), dim, keepdim));
    return add(shifted, reshape(shift, shifted.sizes()));
  }
};

using softmax_ops = list<SoftmaxForward, LogSoftmaxForward, SoftmaxBackward, LogSoftmaxBackward,
                         Softmax, LogSoftmax, Logsumexp>;

}  // namespace tn::ops
