// matmul.h - products of matrices and vectors.
//
// Operands are matrices on any two strides: a transposed one is passed as the view it is, never
// copied. All operands of a call have one dtype; numbers of 16 bits are summed in f32 and rounded
// once.
#pragma once

#include <vector>

#include <tenon/ops/factor.h>
#include <tenon/sdk/declare.h>

namespace tn::ops {

namespace matmul_detail {

inline void expect_rank(const char* name, const Tensor& t, int64_t rank) {
  if (t.dim() != rank)
    fail(TN_INVALID_ARGUMENT, "%s must have %lld dimensions, got %s", name,
         static_cast<long long>(rank), t.describe().c_str());
}
inline void expect_dtype(const char* name, const Tensor& t, const char* other_name,
                         const Tensor& other) {
  if (t.dtype() != other.dtype())
    fail(TN_TYPE_ERROR,
         "%s and %s must have one dtype, got %s and %s; convert one of them with to()", name,
         other_name, t.describe().c_str(), other.describe().c_str());
}
inline void expect_inner(const char* left_name, const Tensor& left, const char* right_name,
                         const Tensor& right) {
  if (left.size(-1) != right.size(-2))
    fail(TN_INVALID_ARGUMENT,
         "the last dimension of %s must be as long as the one but last of %s, got %s and %s",
         left_name, right_name, left.describe().c_str(), right.describe().c_str());
}
// That `t` can stand, broadcast, for a tensor of the given sizes.
inline void expect_expandable(const char* name, const Tensor& t, Ints sizes) {
  bool fits = t.sizes().size() <= sizes.size();
  for (size_t i = 0; fits && i < t.sizes().size(); ++i) {
    const dim have = t.sizes()[t.sizes().size() - 1 - i], want = sizes[sizes.size() - 1 - i];
    fits = have == want || have == 1;
  }
  if (fits) return;
  std::string text;
  for (dim size : sizes) text += (text.empty() ? "" : ",") + std::to_string(size);
  fail(TN_INVALID_ARGUMENT, "%s must be broadcastable to the product's sizes [%s], got %s", name,
       text.c_str(), t.describe().c_str());
}

inline std::vector<dim> broadcast_sizes(Ints a, Ints b) {
  const size_t rank = a.size() > b.size() ? a.size() : b.size();
  std::vector<dim> out(rank);
  for (size_t i = 0; i < rank; ++i) {
    const dim x = i < a.size() ? a[a.size() - 1 - i] : 1,
              y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      fail(TN_INVALID_ARGUMENT, "batch dimensions of %lld and %lld matrices do not broadcast",
           static_cast<long long>(x), static_cast<long long>(y));
    out[rank - 1 - i] = x == 1 ? y : x;
  }
  return out;
}
inline std::vector<dim> joined(Ints head, Ints tail) {
  std::vector<dim> out = head.vector();
  out.insert(out.end(), tail.begin(), tail.end());
  return out;
}

// g * factor without a call where the factor is 1.
template <class T>
T scaled(const T& g, const Scalar& factor) {
  return !factor.is_complex() && factor.real() == 1 ? g : mul(g, factor);
}
template <class T>
T swapped(const T& batch_of_matrices) {
  return transpose(batch_of_matrices, int64_t{1}, int64_t{2});
}

}  // namespace matmul_detail

struct Mm : structured {
  static constexpr auto schema = "mm(Tensor self, Tensor mat2) -> Tensor";
  static constexpr auto doc = "The product of two matrices, [n, k] by [k, m] to [n, m].";
  static void infer(const Tensor& self, const Tensor& mat2, MetaOut out) {
    matmul_detail::expect_rank("self", self, 2);
    matmul_detail::expect_rank("mat2", mat2, 2);
    matmul_detail::expect_inner("self", self, "mat2", mat2);
    matmul_detail::expect_dtype("self", self, "mat2", mat2);
    out.set({self.size(0), mat2.size(1)}, self.dtype());
  }
  static constexpr auto complex_gradient = holomorphic;
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<1>>, [](auto g, auto mat2) { return mm(g, t(mat2)); }),
                      gradient<1>(reads<arg<0>>, [](auto g, auto self) { return mm(t(self), g); }));
};

struct Addmm : structured {
  static constexpr auto schema =
      "addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor";
  static constexpr auto doc =
      "beta * self + alpha * (mat1 @ mat2), with self broadcast to the product's sizes. With beta "
      "0, self is not read.";
  static constexpr uint32_t flags = TN_OP_INPLACE;
  static void infer(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
                    const Scalar& alpha, MetaOut out) {
    matmul_detail::expect_rank("mat1", mat1, 2);
    matmul_detail::expect_rank("mat2", mat2, 2);
    matmul_detail::expect_inner("mat1", mat1, "mat2", mat2);
    matmul_detail::expect_dtype("mat1", mat1, "mat2", mat2);
    matmul_detail::expect_dtype("self", self, "mat1", mat1);
    matmul_detail::expect_expandable("self", self, {mat1.size(0), mat2.size(1)});
    require_factor("beta", beta, self);
    require_factor("alpha", alpha, self);
    out.set({mat1.size(0), mat2.size(1)}, mat1.dtype());
  }
  static constexpr auto complex_gradient = holomorphic;
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<number<3>>,
                                  [](auto g, auto beta) { return matmul_detail::scaled(g, beta); }),
                      gradient<1>(reads<arg<2>, number<4>>,
                                  [](auto g, auto mat2, auto alpha) {
                                    return matmul_detail::scaled(mm(g, t(mat2)), alpha);
                                  }),
                      // mat2 is nearly always the transposed view of a weight, whose gradient this
                      // leaves in the weight's own layout.
                      gradient<2>(reads<arg<1>, number<4>>, [](auto g, auto mat1, auto alpha) {
                        return t(matmul_detail::scaled(mm(t(g), mat1), alpha));
                      }));
};

struct Bmm : structured {
  static constexpr auto schema = "bmm(Tensor self, Tensor mat2) -> Tensor";
  static constexpr auto doc =
      "The products of two batches of matrices, [b, n, k] by [b, k, m] to [b, n, m].";
  static void infer(const Tensor& self, const Tensor& mat2, MetaOut out) {
    matmul_detail::expect_rank("self", self, 3);
    matmul_detail::expect_rank("mat2", mat2, 3);
    if (self.size(0) != mat2.size(0))
      fail(TN_INVALID_ARGUMENT, "self and mat2 must hold as many matrices, got %s and %s",
           self.describe().c_str(), mat2.describe().c_str());
    matmul_detail::expect_inner("self", self, "mat2", mat2);
    matmul_detail::expect_dtype("self", self, "mat2", mat2);
    out.set({self.size(0), self.size(1), mat2.size(2)}, self.dtype());
  }
  static constexpr auto complex_gradient = holomorphic;
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<1>>,
                  [](auto g, auto mat2) { return bmm(g, matmul_detail::swapped(mat2)); }),
      gradient<1>(reads<arg<0>>,
                  [](auto g, auto self) { return bmm(matmul_detail::swapped(self), g); }));
};

struct Baddbmm : structured {
  static constexpr auto schema =
      "baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> "
      "Tensor";
  static constexpr auto doc =
      "beta * self + alpha * bmm(batch1, batch2), with self broadcast to the product's sizes. With "
      "beta 0, self is not "
      "read.";
  static constexpr uint32_t flags = TN_OP_INPLACE;
  static void infer(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                    const Scalar& beta, const Scalar& alpha, MetaOut out) {
    Bmm::infer(batch1, batch2, out);
    matmul_detail::expect_dtype("self", self, "batch1", batch1);
    matmul_detail::expect_expandable("self", self,
                                     {batch1.size(0), batch1.size(1), batch2.size(2)});
    require_factor("beta", beta, self);
    require_factor("alpha", alpha, self);
  }
  static constexpr auto complex_gradient = holomorphic;
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<number<3>>,
                  [](auto g, auto beta) { return matmul_detail::scaled(g, beta); }),
      gradient<1>(reads<arg<2>, number<4>>,
                  [](auto g, auto batch2, auto alpha) {
                    return matmul_detail::scaled(bmm(g, matmul_detail::swapped(batch2)), alpha);
                  }),
      gradient<2>(reads<arg<1>, number<4>>, [](auto g, auto batch1, auto alpha) {
        return matmul_detail::scaled(bmm(matmul_detail::swapped(batch1), g), alpha);
      }));
};

struct Mv : composite {
  static constexpr auto schema = "mv(Tensor self, Tensor vec) -> Tensor";
  static constexpr auto doc = "The product of a matrix and a vector, [n, k] by [k] to [n].";
  template <class T>
  static T decompose(const T& self, const T& vec) {
    matmul_detail::expect_rank("self", self, 2);
    matmul_detail::expect_rank("vec", vec, 1);
    return squeeze(mm(self, unsqueeze(vec, int64_t{1})), int64_t{1});
  }
};

struct Addmv : composite {
  static constexpr auto schema =
      "addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor";
  static constexpr auto doc = "beta * self + alpha * (mat @ vec), with self broadcast to [n].";
  template <class T>
  static T decompose(const T& self, const T& mat, const T& vec, const Scalar& beta,
                     const Scalar& alpha) {
    matmul_detail::expect_rank("mat", mat, 2);
    matmul_detail::expect_rank("vec", vec, 1);
    const T column = self.dim() == 0 ? self : unsqueeze(self, int64_t{1});
    return squeeze(addmm(column, mat, unsqueeze(vec, int64_t{1}), beta, alpha), int64_t{1});
  }
};

struct Dot : composite {
  static constexpr auto schema = "dot(Tensor self, Tensor tensor) -> Tensor";
  static constexpr auto doc = "The sum of the products of two vectors' elements.";
  template <class T>
  static T decompose(const T& self, const T& tensor) {
    matmul_detail::expect_rank("self", self, 1);
    matmul_detail::expect_rank("tensor", tensor, 1);
    if (self.size(0) != tensor.size(0))
      fail(TN_INVALID_ARGUMENT, "self and tensor must be equally long, got %s and %s",
           self.describe().c_str(), tensor.describe().c_str());
    return reshape(mm(unsqueeze(self, int64_t{0}), unsqueeze(tensor, int64_t{1})), Ints());
  }
};

struct Vdot : composite {
  static constexpr auto schema = "vdot(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc =
      "The sum of the products of one vector's complex conjugates and another's elements.";
  template <class T>
  static T decompose(const T& self, const T& other) {
    return dot(conj(self), other);
  }
};

struct Outer : composite {
  static constexpr auto schema = "outer(Tensor self, Tensor vec2) -> Tensor";
  static constexpr auto doc = "All products of two vectors' elements, [n] and [m] to [n, m].";
  template <class T>
  static T decompose(const T& self, const T& vec2) {
    matmul_detail::expect_rank("self", self, 1);
    matmul_detail::expect_rank("vec2", vec2, 1);
    return mul(unsqueeze(self, int64_t{1}), vec2);
  }
};

struct Matmul : composite {
  static constexpr auto schema = "matmul(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc =
      "The matrix product of the last two dimensions; those before them are a batch and broadcast. "
      "A 1-d tensor is a "
      "row on the left and a column on the right, and that dimension does not appear in the "
      "result.";
  template <class T>
  static T decompose(const T& self, const T& other) {
    const int64_t left = self.dim(), right = other.dim();
    if (left == 0 || right == 0)
      fail(TN_INVALID_ARGUMENT, "both tensors must have dimensions, got %s and %s",
           self.describe().c_str(), other.describe().c_str());
    if (self.size(-1) != other.size(right == 1 ? 0 : -2))
      fail(TN_INVALID_ARGUMENT, "the sizes of %s and %s do not fit a matrix product",
           self.describe().c_str(), other.describe().c_str());
    if (left == 1 && right == 1) return dot(self, other);
    if (left == 2 && right == 1) return mv(self, other);
    if (left == 2 && right == 2) return mm(self, other);
    if (left == 1) return squeeze(matmul(unsqueeze(self, int64_t{0}), other), int64_t{-2});
    if (right <= 2) {  // the batch is more rows of one matrix
      const T rows =
          reshape(self, Ints{self.numel() / (self.size(-1) ? self.size(-1) : 1), self.size(-1)});
      if (self.size(-1) == 0) return batched(self, other);
      const Ints head(self.sizes().data(), self.sizes().size() - 1);
      if (right == 1) return reshape(mv(rows, other), head);
      return reshape(mm(rows, other), matmul_detail::joined(head, {other.size(1)}));
    }
    return batched(self, other);
  }

 private:
  template <class T>
  static T batched(const T& self, const T& other) {
    if (other.dim() == 1)
      return squeeze(batched(self, T(unsqueeze(other, int64_t{1}))), int64_t{-1});
    auto head = [](const T& t) { return Ints(t.sizes().data(), t.sizes().size() - 2); };
    const auto batch = matmul_detail::broadcast_sizes(head(self), head(other));
    int64_t count = 1;
    for (int64_t size : batch) count *= size;
    auto flat = [&](const T& t) {
      const T full = expand(t, matmul_detail::joined(batch, {t.size(-2), t.size(-1)}));
      return reshape(full, Ints{count, t.size(-2), t.size(-1)});
    };
    return reshape(bmm(flat(self), flat(other)),
                   matmul_detail::joined(batch, {self.size(-2), other.size(-1)}));
  }
};

struct Linear : composite {
  static constexpr auto schema = "linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor";
  static constexpr auto doc =
      "input @ weight.t() + bias: [..., in] to [..., out] with a weight of [out, in] and a bias of "
      "[out].";
  template <class T>
  static T decompose(const T& input, const T& weight, const T& bias) {
    if (input.dim() == 0 || weight.dim() != 2 || input.size(-1) != weight.size(1))
      fail(TN_INVALID_ARGUMENT,
           "expected an input of [..., in] and a weight of [out, in], got %s and %s",
           input.describe().c_str(), weight.describe().c_str());
    if (!bias.defined()) return matmul(input, t(weight));
    if (input.dim() == 2) return addmm(bias, input, t(weight));
    if (input.dim() == 1)
      return squeeze(addmm(bias, unsqueeze(input, int64_t{0}), t(weight)), int64_t{0});
    int64_t rows = 1;
    for (size_t i = 0; i + 1 < input.sizes().size(); ++i) rows *= input.sizes()[i];
    const T flat = addmm(bias, reshape(input, Ints{rows, input.size(-1)}), t(weight));
    const Ints head(input.sizes().data(), input.sizes().size() - 1);
    return reshape(flat, matmul_detail::joined(head, {weight.size(0)}));
  }
};

using matmul_ops = list<Mm, Addmm, Bmm, Baddbmm, Mv, Addmv, Dot, Vdot, Outer, Matmul, Linear>;

}  // namespace tn::ops
