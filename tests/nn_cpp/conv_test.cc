// Convolutions of one and two dimensions.
#include <cstring>
#include <tuple>

#include "support.h"

namespace {

using namespace test;

struct Case {
  Sizes input, weight;
  Sizes stride{1, 1}, padding{0, 0}, dilation{1, 1}, output_padding{0, 0};
  int64_t groups = 1;
  bool transposed = false;
};

const Case kCases[] = {
    {{2, 3, 7, 8}, {4, 3, 3, 3}},
    {{2, 3, 7, 8}, {40, 3, 3, 2}, {2, 1}, {1, 2}},
    {{1, 16, 5, 20}, {8, 16, 1, 1}},
    {{1, 5, 9, 9}, {7, 5, 3, 3}, {1, 1}, {2, 2}, {2, 2}},
    {{2, 8, 6, 6}, {12, 4, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, 2},
    {{2, 6, 6, 5}, {12, 1, 3, 3}, {2, 2}, {1, 1}, {1, 1}, {0, 0}, 6},
    {{2, 40, 6, 5}, {40, 1, 3, 3}, {2, 1}, {1, 1}, {1, 1}, {0, 0}, 40},
    {{1, 20, 5, 5}, {32, 10, 2, 2}, {3, 3}, {0, 0}, {1, 1}, {0, 0}, 2},
    {{2, 4, 5, 6}, {4, 3, 3, 3}, {1, 1}, {0, 0}, {1, 1}, {0, 0}, 1, true},
    {{2, 4, 5, 6}, {4, 5, 3, 2}, {2, 3}, {1, 1}, {1, 2}, {1, 2}, 1, true},
    {{1, 6, 4, 4}, {6, 2, 3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}, 3, true},
    {{1, 3, 4, 4}, {3, 2, 2, 2}, {1, 1}, {3, 2}, {3, 3}, {0, 0}, 1, true},
};

Tensor call(const Case& c, const Tensor& x, const Tensor& w, const Tensor& bias) {
  return tn::convolution(x, w, bias, c.stride, c.padding, c.dilation, c.transposed,
                         c.output_padding, c.groups);
}

// Element (n, c, h, w) of a contiguous list.
struct Image {
  Numbers values;
  Sizes sizes;
  double& at(int64_t n, int64_t c, int64_t h, int64_t w) {
    return values[static_cast<size_t>(((n * sizes[1] + c) * sizes[2] + h) * sizes[3] + w)];
  }
};

// By the definition: every product that a kernel makes, forwards or, transposed, backwards.
Numbers reference(const Case& c, const Tensor& input, const Tensor& weight, const Tensor& bias,
                  const Sizes& out_sizes) {
  Image x{numbers(input), sizes_of(input)}, w{numbers(weight), sizes_of(weight)};
  Image y{Numbers(static_cast<size_t>(product(out_sizes))), out_sizes};
  const Numbers b = bias.defined() ? numbers(bias) : Numbers(static_cast<size_t>(out_sizes[1]));
  for (int64_t n = 0; n < out_sizes[0]; ++n)
    for (int64_t o = 0; o < out_sizes[1]; ++o)
      for (int64_t h = 0; h < out_sizes[2]; ++h)
        for (int64_t v = 0; v < out_sizes[3]; ++v) y.at(n, o, h, v) = b[static_cast<size_t>(o)];
  // The large side is what the kernels slide over, the small side has one place per window.
  Image &large = c.transposed ? y : x, &small = c.transposed ? x : y;
  const int64_t larges = large.sizes[1] / c.groups, smalls = small.sizes[1] / c.groups;
  for (int64_t n = 0; n < x.sizes[0]; ++n)
    for (int64_t g = 0; g < c.groups; ++g)
      for (int64_t s = 0; s < smalls; ++s)
        for (int64_t l = 0; l < larges; ++l)
          for (int64_t i = 0; i < small.sizes[2]; ++i)
            for (int64_t j = 0; j < small.sizes[3]; ++j)
              for (int64_t kh = 0; kh < w.sizes[2]; ++kh)
                for (int64_t kw = 0; kw < w.sizes[3]; ++kw) {
                  const int64_t h = i * c.stride[0] - c.padding[0] + kh * c.dilation[0];
                  const int64_t v = j * c.stride[1] - c.padding[1] + kw * c.dilation[1];
                  if (h < 0 || h >= large.sizes[2] || v < 0 || v >= large.sizes[3]) continue;
                  const double factor = w.at(g * smalls + s, l, kh, kw);
                  double &a = large.at(n, g * larges + l, h, v),
                         &z = small.at(n, g * smalls + s, i, j);
                  if (c.transposed)
                    a += factor * z;
                  else
                    z += factor * a;
                }
  return y.values;
}

int64_t out_channels(const Case& c) {
  return c.transposed ? c.weight[1] * c.groups : c.weight[0];
}

TEST(Conv, MatchesTheDefinitionInAllDtypesAndLayouts) {
  for (const Case& c : kCases)
    for (tn::DType dtype : {TN_F32, TN_F64, TN_BF16, TN_F16}) {
      SCOPED_TRACE(std::string(tn::api->dtype_name(dtype)) + " case " +
                   std::to_string(&c - kCases));
      const Tensor x = random(c.input, dtype, 1), w = random(c.weight, dtype, 2),
                   b = random({out_channels(c)}, dtype, 3);
      const Tensor y = call(c, x, w, b);
      const Numbers expected = reference(c, x, w, b, sizes_of(y));
      expect_near(y, expected);
      EXPECT_TRUE(y.is_contiguous());
      const Tensor last = call(c, channels_last(x), w, b);
      EXPECT_TRUE(last.is_channels_last());
      expect_near(last, expected);
      expect_near(call(c, channels_last(x), channels_last(w), b), expected);
    }
}

TEST(Conv, ReadsStridedImages) {
  const Case c{{2, 3, 6, 7}, {5, 3, 3, 3}, {1, 1}, {1, 1}};
  const Tensor x = tn::slice(random({2, 6, 6, 14}, TN_F32), 3, 0, 14, 2),
               w = random({5, 3, 3, 3}, TN_F32);
  const Tensor part = tn::narrow(x, 1, 2, 3), bias = tn::slice(random({10}, TN_F32), 0, 0, 10, 2);
  const Tensor y = call(c, part, w, bias);
  expect_near(y, reference(c, part, w, bias, sizes_of(y)));
  // Channels of a channels-last image, which do not fill it.
  const Tensor some = tn::narrow(channels_last(random({2, 8, 6, 7}, TN_F32)), 1, 1, 3);
  expect_near(call(c, some, w, bias), reference(c, some, w, bias, sizes_of(y)));
}

// Nothing of a weight may be kept from one call to the next: not every change of its numbers is
// counted by its version.
TEST(Conv, SeesEveryChangeOfItsWeights) {
  for (tn::DType dtype : {TN_F32, TN_BF16})
    for (const bool last : {false, true}) {
      SCOPED_TRACE(std::string(tn::api->dtype_name(dtype)) + (last ? " channels last" : ""));
      const Case c{{1, 16, 6, 5}, {32, 16, 3, 3}, {1, 1}, {1, 1}};
      const auto laid = [&](const Tensor& t) { return last ? channels_last(t) : t; };
      const Tensor x = laid(random(c.input, dtype, 1)), g = random({1, 32, 6, 5}, dtype, 9);
      const auto kernels = [&](uint64_t seed) { return laid(random(c.weight, dtype, seed)); };
      Tensor w = kernels(2);
      const bool image_only[] = {true, false, false};
      const auto check = [&] {
        const Tensor y = call(c, x, w, Tensor());
        expect_near(y, reference(c, x, w, Tensor(), sizes_of(y)));
        const auto gradient = [&](const Tensor& grad, const Tensor& kernels) {
          return std::get<0>(tn::convolution_backward(
              grad, x.to(grad.dtype()), kernels, std::nullopt, c.stride, c.padding, c.dilation,
              false, c.output_padding, 1, tn::Bools(image_only, 3)));
        };
        expect_near(numbers(gradient(g, w)), numbers(gradient(g.to(TN_F64), w.to(TN_F64))),
                    2 * tolerance(dtype));
      };
      check();
      tn::check(tn::api->tensor_copy(w.get(), kernels(3).get()));
      check();
      const Tensor view = tn::narrow(w, 0, 1, 3);
      tn::check(tn::api->tensor_copy(view.get(), tn::narrow(kernels(4), 0, 7, 3).get()));
      check();
      tn::check(tn::api->tensor_set_data(w.get(), kernels(5).get()));
      check();
      const Tensor shallow = tn::detach(w);
      tn::check(tn::api->tensor_copy(shallow.get(), kernels(6).get()));
      check();
      // Through its pointer, as a library does that shares the memory.
      const Tensor other = kernels(7);
      std::memcpy(w.get()->dl.data, other.get()->dl.data,
                  static_cast<size_t>(w.numel()) * (dtype == TN_F32 ? 4 : 2));
      check();
      // A new weight where an old one lay.
      w = Tensor();
      w = kernels(8);
      check();
    }
}

TEST(Conv, TakesSignalsAndSingleImages) {
  const Case c{{1, 3, 1, 10}, {4, 3, 1, 3}, {1, 2}, {0, 1}};
  const Tensor x = random({1, 3, 10}, TN_F32, 1), w = random({4, 3, 3}, TN_F32, 2),
               b = random({4}, TN_F32, 3);
  const Tensor y = tn::conv1d(x, w, b, Sizes{2}, Sizes{1});
  expect_near(y, reference(c, tn::unsqueeze(x, 2), tn::unsqueeze(w, 2), b, {1, 4, 1, y.size(2)}));
  expect_near(tn::conv1d(tn::squeeze(x, 0), w, b, Sizes{2}, Sizes{1}), numbers(y));
  EXPECT_EQ(sizes_of(tn::conv_transpose1d(x, tn::transpose(w, 0, 1), b, Sizes{2})),
            (Sizes{1, 4, 21}));
  EXPECT_EQ(sizes_of(tn::conv2d(random({3, 5, 5}), random({2, 3, 3, 3}))), (Sizes{2, 3, 3}));
  EXPECT_EQ(sizes_of(tn::conv2d(random({0, 3, 5, 5}), random({2, 3, 3, 3}))), (Sizes{0, 2, 3, 3}));
}

TEST(Conv, IsDifferentiableTwice) {
  for (const Case& c :
       {Case{{2, 2, 4, 4}, {3, 2, 3, 3}, {1, 1}, {1, 1}},
        Case{{1, 4, 5, 5}, {2, 2, 2, 2}, {2, 2}, {1, 0}, {1, 1}, {0, 0}, 2},
        Case{{1, 2, 3, 3}, {2, 3, 3, 2}, {2, 1}, {1, 1}, {1, 1}, {1, 0}, 1, true}}) {
    SCOPED_TRACE(c.transposed ? "transposed" : "plain");
    expect_gradients([&](auto& x) { return call(c, x[0], x[1], x[2]); },
                     {random(c.input, TN_F64, 1), random(c.weight, TN_F64, 2),
                      random({out_channels(c)}, TN_F64, 3)});
  }
}

TEST(Conv, GradientsAgreeAcrossDtypesAndLayouts) {
  for (const Case& c : kCases)
    for (tn::DType dtype : {TN_F32, TN_BF16}) {
      SCOPED_TRACE(std::string(tn::api->dtype_name(dtype)) + " case " +
                   std::to_string(&c - kCases));
      const Tensor x = random(c.input, dtype, 1), w = random(c.weight, dtype, 2);
      const Tensor g = random(sizes_of(call(c, x, w, Tensor())), dtype, 4);
      const bool all[] = {true, true, true};
      auto backward = [&](const Tensor& grad, const Tensor& image, const Tensor& kernels) {
        const int64_t channels = out_channels(c);
        return tn::convolution_backward(grad, image, kernels, Ints(&channels, 1), c.stride,
                                        c.padding, c.dilation, c.transposed, c.output_padding,
                                        c.groups, tn::Bools(all, 3));
      };
      const auto [dx, dw, db] = backward(g.to(TN_F64), x.to(TN_F64), w.to(TN_F64));
      for (bool last : {false, true}) {
        const auto [ax, aw, ab] =
            last ? backward(channels_last(g), channels_last(x), channels_last(w))
                 : backward(g, x, w);
        // Sums of many products: the error grows with the largest of them.
        expect_near(numbers(ax), numbers(dx), 2 * tolerance(dtype));
        expect_near(numbers(aw), numbers(dw), 4 * tolerance(dtype));
        expect_near(numbers(ab), numbers(db), 4 * tolerance(dtype));
        EXPECT_EQ(ax.is_channels_last() && !ax.is_contiguous(), last);
      }
    }
}

TEST(Conv, GivesTheSameBitsForAnyNumberOfThreads) {
  const Tensor x = random({3, 16, 30, 30}, TN_F32, 1), w = random({33, 16, 3, 3}, TN_F32, 2);
  std::vector<std::vector<float>> results;
  with_threads([&](int) {
    Tensor a = tn::detach(x).requires_grad_(), b = tn::detach(w).requires_grad_();
    const Tensor y = tn::conv2d(a, b, Tensor(), Sizes{1, 1}, Sizes{1, 1});
    const auto grads = tn::grad({tn::sum(y * y)}, {a, b});
    for (const Tensor& t : {y, grads[0], grads[1]}) results.push_back(t.to_vector<float>());
  });
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(results[i], results[i + 3]);
}

TEST(Conv, OfAnEmptySignalTransposedIsZeros) {
  const Tensor x = random({1, 2, 0}), w = random({2, 3, 1});
  const Sizes stride{2}, padding{0}, dilation{5}, more{4};
  const Tensor y = tn::convolution(x, w, Tensor(), stride, padding, dilation, true, more, 1);
  EXPECT_EQ(y.sizes(), Ints(Sizes{1, 3, 3}));
  EXPECT_EQ(numbers(y), Numbers(9, 0.0));
  const bool all[] = {true, true, true};
  const auto grads = tn::convolution_backward(y, x, w, std::nullopt, stride, padding, dilation,
                                              true, more, 1, tn::Bools(all, 3));
  EXPECT_EQ(numbers(std::get<1>(grads)), Numbers(6, 0.0));
}

TEST(Conv, NamesWhatDoesNotFit) {
  const Tensor x = random({1, 3, 5, 5}), w = random({2, 3, 3, 3});
  expect_error(TN_INVALID_ARGUMENT, "does not fit into", [&] {
    tn::conv2d(x, random({2, 3, 6, 6}));
  });
  expect_error(TN_INVALID_ARGUMENT, "takes 4 channels", [&] {
    tn::conv2d(x, random({2, 4, 3, 3}));
  });
  expect_error(TN_INVALID_ARGUMENT, "stride must be 1 to 2^31 - 1, got 0", [&] {
    tn::conv2d(x, w, Tensor(), Sizes{0, 1});
  });
  // Arithmetic with these would not fit 64 bits.
  constexpr int64_t kHuge = int64_t{1} << 62;
  expect_error(TN_INVALID_ARGUMENT, "dilation must be 1 to 2^31 - 1", [&] {
    tn::conv2d(x, random({2, 3, 5, 5}), Tensor(), Sizes{1}, Sizes{0}, Sizes{kHuge});
  });
  expect_error(TN_INVALID_ARGUMENT, "padding must be 0 to 2^31 - 1",
               [&] { tn::conv2d(x, w, Tensor(), Sizes{1}, Sizes{kHuge}); });
  // A result of nine pixels, and an image of 2^64 that they would be read from.
  constexpr int64_t kMost = (int64_t{1} << 31) - 1;
  expect_error(TN_OUT_OF_MEMORY, "no memory for f64[1,3,5,5]@cpu padded to",
               [&] { tn::conv2d(x, w, Tensor(), Sizes{kMost}, Sizes{kMost}); });
  expect_error(TN_INVALID_ARGUMENT, "groups must be 1 to 2^31 - 1",
               [&] { tn::conv2d(x, w, Tensor(), Sizes{1}, Sizes{0}, Sizes{1}, kHuge); });
  expect_error(TN_INVALID_ARGUMENT, "groups",
               [&] { tn::conv2d(x, w, Tensor(), Sizes{1}, Sizes{0}, Sizes{1}, 0); });
  expect_error(TN_TYPE_ERROR, "one dtype", [&] { tn::conv2d(x, random({2, 3, 3, 3}, TN_F32)); });
  expect_error(TN_INVALID_ARGUMENT, "bias", [&] { tn::conv2d(x, w, random({3})); });
  expect_error(TN_INVALID_ARGUMENT, "4 dimensions", [&] { tn::conv2d(random({5, 5}), w); });
}

}  // namespace
