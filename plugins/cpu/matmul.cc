// Matrix products: float dtypes by blocks (gemm.h), complex ones as products of their real and
// imaginary parts, integers by plain loops.
#include "tenon/ops/matmul.h"

#include <complex>
#include <vector>

#include "float_types.h"
#include "gemm.h"
#include "kernels.h"
#include "parallel.h"
#include "tenon/sdk/entry.h"

namespace tn::cpu {
namespace {

// A batch of equal products; strides between matrices count elements.
struct Product {
  const Tensor& a;  // [m, k] or [batch, m, k]
  const Tensor& b;
  const Tensor& out;
  const Tensor* c = nullptr;
  Scalar alpha = 1, beta = 0;
};

// Stride of dimension `d` from the end in a tensor broadcast to more sizes: 0 where it is repeated.
int64_t broadcast_stride(const Tensor& t, int64_t d) {
  return d > t.dim() || t.size(-d) == 1 ? 0 : t.stride(-d);
}

template <class E>
Matrix<E> matrix(const Tensor& t, int64_t index) {
  return {t.data<std::remove_const_t<E>>() + index * (t.dim() > 2 ? t.stride(0) : 0), t.stride(-2),
          t.stride(-1)};
}
template <class E>
Matrix<const E> addend(const Tensor& t, int64_t index) {
  return {t.data<E>() + index * broadcast_stride(t, 3), broadcast_stride(t, 2),
          broadcast_stride(t, 1)};
}

int64_t batch_of(const Product& p) {
  return p.out.dim() > 2 ? p.out.size(0) : 1;
}

// The products args(0), args(1), ... of p's batch.
template <class E, class Args>
void run_batch(Frame& frame, const Product& p, Args args) {
  using T = Sum<E>;
  const int64_t batch = batch_of(p);
  const int threads = thread_count();
  // Whole matrices to the threads where there are enough of them, else parts of each.
  const int pieces = batch >= threads ? threads : 1;
  const Gemm<E> first(args(0), pieces > 1 ? 1 : threads);
  const int64_t slots = pieces > 1 ? pieces : first.tasks();
  T* const work = frame.scratch<T>(static_cast<size_t>(slots * first.workspace()));
  if (pieces > 1) {
    const int64_t multiplications = p.out.numel() * p.a.size(-1);
    parallel_for(pieces, multiplications < (1 << 18) ? pieces : 1, [&](int64_t begin, int64_t end) {
      for (int64_t piece = begin; piece < end; ++piece)
        for (int64_t i = piece * batch / pieces; i < (piece + 1) * batch / pieces; ++i)
          Gemm<E>(args(i), 1).run(0, work + piece * first.workspace());
    });
    return;
  }
  for (int64_t i = 0; i < batch; ++i) {
    const Gemm<E> gemm(args(i), threads);
    parallel_for(gemm.tasks(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t task = begin; task < end; ++task) gemm.run(task, work + task * gemm.workspace());
    });
  }
}

template <class E>
void blocked(Frame& frame, const Product& p) {
  using T = Sum<E>;
  run_batch<E>(frame, p, [&](int64_t i) {
    GemmArgs<E> g{p.out.size(-2),          p.out.size(-1),          p.a.size(-1),
                  matrix<const E>(p.a, i), matrix<const E>(p.b, i), matrix<E>(p.out, i)};
    g.alpha = static_cast<T>(p.alpha.real());
    g.beta = static_cast<T>(p.beta.real());
    if (p.beta.real() != 0) g.c = addend<E>(*p.c, i);
    return g;
  });
}

// The real (0) or imaginary (1) parts of a matrix.
template <class T>
auto part(Matrix<std::complex<T>> m, int which) {
  return Matrix<T>{reinterpret_cast<T*>(m.data) + which, 2 * m.row, 2 * m.column};
}
template <class T>
auto part(Matrix<const std::complex<T>> m, int which) {
  return Matrix<const T>{reinterpret_cast<const T*>(m.data) + which, 2 * m.row, 2 * m.column};
}

// out = alpha * out + beta * c, for one matrix.
template <class E>
void scale_and_add(const Product& p, int64_t index) {
  const E alpha(p.alpha.complex()), beta(p.beta.complex());
  const auto out = matrix<E>(p.out, index);
  const auto c = beta != E(0) ? addend<E>(*p.c, index) : Matrix<const E>{};
  parallel_for(p.out.size(-2), std::max<int64_t>(1, kGrain / p.out.size(-1)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i)
                   for (int64_t j = 0; j < p.out.size(-1); ++j) {
                     const E added = c.data ? beta * *c.at(i, j) : E(0);
                     *out.at(i, j) = alpha * *out.at(i, j) + added;
                   }
               });
}

// Complex products are four real ones of the matrices' parts.
template <class T>
void in_parts(Frame& frame, const Product& p) {
  using E = std::complex<T>;
  const auto multiply_parts = [&](int left, int right, int target, T sign, bool adds) {
    run_batch<T>(frame, p, [&](int64_t i) {
      const auto out = part(matrix<E>(p.out, i), target);
      GemmArgs<T> g{p.out.size(-2),
                    p.out.size(-1),
                    p.a.size(-1),
                    part(matrix<const E>(p.a, i), left),
                    part(matrix<const E>(p.b, i), right),
                    out};
      g.alpha = sign;
      g.beta = adds;
      if (adds) g.c = {out.data, out.row, out.column};
      return g;
    });
  };
  multiply_parts(0, 0, 0, 1, false);
  multiply_parts(1, 1, 0, -1, true);
  multiply_parts(0, 1, 1, 1, false);
  multiply_parts(1, 0, 1, 1, true);
  if (p.alpha.complex() == 1.0 && p.beta.complex() == 0.0) return;
  for (int64_t i = 0; i < batch_of(p); ++i) scale_and_add<E>(p, i);
}

// Sums modulo 2^64, whose lower bits are the result in any width.
template <class E>
void plain(Frame& frame, const Product& p) {
  using T = uint64_t;
  const T alpha = static_cast<T>(p.alpha.integer()), beta = static_cast<T>(p.beta.integer());
  const int64_t batch = batch_of(p), rows = p.out.size(-2), columns = p.out.size(-1);
  const int64_t depth = p.a.size(-1);
  T* const sums = frame.scratch<T>(static_cast<size_t>(rows * columns));
  for (int64_t index = 0; index < batch; ++index) {
    const auto a = matrix<const E>(p.a, index), b = matrix<const E>(p.b, index);
    const auto out = matrix<E>(p.out, index);
    const Matrix<const E> c = beta != 0 ? addend<E>(*p.c, index) : Matrix<const E>{};
    parallel_for(rows, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, columns * depth)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t i = begin; i < end; ++i) {
                     T* const sum = sums + i * columns;
                     std::fill(sum, sum + columns, T(0));
                     for (int64_t k = 0; k < depth; ++k) {
                       const T factor = static_cast<T>(*a.at(i, k));
                       for (int64_t j = 0; j < columns; ++j)
                         sum[j] += factor * static_cast<T>(*b.at(k, j));
                     }
                     for (int64_t j = 0; j < columns; ++j) {
                       const T added = beta != 0 ? beta * static_cast<T>(*c.at(i, j)) : 0;
                       *out.at(i, j) = static_cast<E>(alpha * sum[j] + added);
                     }
                   }
                 });
  }
}

void multiply(Frame& frame, const Product& p) {
  if (p.out.numel() == 0) return;
  switch (p.out.dtype()) {
    case TN_U8:
      return plain<uint8_t>(frame, p);
    case TN_I8:
      return plain<int8_t>(frame, p);
    case TN_I16:
      return plain<int16_t>(frame, p);
    case TN_I32:
      return plain<int32_t>(frame, p);
    case TN_I64:
      return plain<int64_t>(frame, p);
    case TN_C64:
      return in_parts<float>(frame, p);
    case TN_C128:
      return in_parts<double>(frame, p);
    default:
      with_float(p.out.dtype(), [&](auto e) { blocked<decltype(e)>(frame, p); });
  }
}

void mm(const Tensor& self, const Tensor& mat2, Frame& frame, Out out) {
  multiply(frame, {self, mat2, *out});
}
void addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
           const Scalar& alpha, Frame& frame, Out out) {
  multiply(frame, {mat1, mat2, *out, &self, alpha, beta});
}

}  // namespace

void register_matmul(tn_plugin* plugin) {
  tn_caps caps = TN_INIT(tn_caps);
  caps.flags = TN_CAP_DETERMINISTIC;
  caps.dtypes = kFloatDtypes | TN_DTYPE_BIT(TN_U8) | TN_DTYPE_BIT(TN_I8) | TN_DTYPE_BIT(TN_I16) |
                TN_DTYPE_BIT(TN_I32) | TN_DTYPE_BIT(TN_I64) | TN_DTYPE_BIT(TN_C64) |
                TN_DTYPE_BIT(TN_C128);
  register_kernel<mm>(plugin, "mm", "cpu", caps);
  register_kernel<mm>(plugin, "bmm", "cpu", caps);
  register_kernel<addmm>(plugin, "addmm", "cpu", caps);
  register_kernel<addmm>(plugin, "baddbmm", "cpu", caps);
}

}  // namespace tn::cpu
