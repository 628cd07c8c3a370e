// Maxima and means over windows.
#include "support.h"

namespace {

using namespace test;

struct Case {
  Sizes input, kernel, stride, padding{0, 0}, dilation{1, 1};
  bool ceil_mode = false;
};
const Case kCases[] = {
    {{2, 3, 6, 8}, {2, 2}, {}},
    {{2, 70, 7, 7}, {3, 2}, {2, 1}, {1, 1}},
    {{1, 2, 7, 9}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, true},
    {{3, 5, 5}, {2, 3}, {3, 2}, {0, 0}, {1, 1}, true},
    {{1, 2, 9, 9}, {2, 3}, {1, 2}, {1, 1}, {3, 2}},
    {{1, 2, 5, 75}, {3, 3}, {1, 1}, {1, 1}},
    {{1, 2, 6, 81}, {2, 3}, {2, 2}, {1, 1}, {1, 2}},
    {{2, 1, 9, 100}, {3, 4}, {2, 3}, {1, 2}},
    {{1, 1, 4, 70}, {2, 66}, {2, 1}, {0, 33}},
};

struct Pooled {
  Numbers largest, places, means, means_inside;
};
// By the definition, for images of one plane after another.
Pooled reference(const Case& c, const Tensor& x, int64_t out_h, int64_t out_w) {
  const Numbers values = numbers(x);
  const int64_t h = x.size(-2), w = x.size(-1), planes = x.numel() / (h * w);
  const Sizes stride = c.stride.empty() ? c.kernel : c.stride;
  Pooled out;
  for (int64_t p = 0; p < planes; ++p)
    for (int64_t i = 0; i < out_h; ++i)
      for (int64_t j = 0; j < out_w; ++j) {
        double best = -HUGE_VAL, sum = 0, inside = 0, padded = 0;
        int64_t place = -1;
        for (int64_t kh = 0; kh < c.kernel[0]; ++kh)
          for (int64_t kw = 0; kw < c.kernel[1]; ++kw) {
            const int64_t y = i * stride[0] - c.padding[0] + kh * c.dilation[0];
            const int64_t z = j * stride[1] - c.padding[1] + kw * c.dilation[1];
            padded += y < h + c.padding[0] && z < w + c.padding[1];
            if (y < 0 || y >= h || z < 0 || z >= w) continue;
            const double v = values[static_cast<size_t>((p * h + y) * w + z)];
            if (place < 0 || v > best) best = v, place = y * w + z;
            sum += v;
            inside += 1;
          }
        out.largest.push_back(best);
        out.places.push_back(static_cast<double>(place));
        out.means.push_back(sum / padded);
        out.means_inside.push_back(sum / inside);
      }
  return out;
}

TEST(MaxPool, FindsTheLargestAndItsPlace) {
  for (const Case& c : kCases)
    for (tn::DType dtype : {TN_F32, TN_F64, TN_BF16, TN_F16}) {
      const Tensor x = random(c.input, dtype);
      for (const Tensor& image : {x, c.input.size() == 4 ? channels_last(x) : x}) {
        const auto [y, places] = tn::max_pool2d_with_indices(image, c.kernel, c.stride, c.padding,
                                                             c.dilation, c.ceil_mode);
        const Pooled expected = reference(c, x, y.size(-2), y.size(-1));
        EXPECT_EQ(numbers(y), expected.largest);
        EXPECT_EQ(numbers(places), expected.places);
        EXPECT_EQ(y.is_contiguous(), image.is_contiguous());
      }
    }
}

TEST(MaxPool, LetsNanWinAndTakesTheFirstOfEqualOnes) {
  const Tensor x = tensor({1, 1, std::nan(""), 5, 1, 1, 3, 4}, {1, 1, 2, 4});
  const auto [y, places] = tn::max_pool2d_with_indices(x, Sizes{2, 2});
  expect_near(y, {1, std::nan("")});
  EXPECT_EQ(numbers(places), (Numbers{0, 2}));
}

TEST(MaxPool, TakesTheLastNanAndTheFirstPlaceOfNothing) {
  const double nan = std::nan(""), inf = HUGE_VAL;
  Numbers row(40, -inf);
  row[4] = nan, row[6] = nan, row[8] = 3, row[9] = nan, row[39] = -1;
  const Tensor x = tensor(row, {1, 1, 1, 40});
  const auto [y, places] = tn::max_pool2d_with_indices(x, Sizes{1, 4}, Sizes{1, 2}, Sizes{0, 1});
  const Numbers v = numbers(y), at = numbers(places);
  for (size_t i = 0; i < v.size(); ++i) {
    const int64_t begin = std::max<int64_t>(2 * static_cast<int64_t>(i) - 1, 0);
    double best = -inf, place = static_cast<double>(begin);
    for (int64_t j = begin; j < std::min<int64_t>(2 * static_cast<int64_t>(i) + 3, 40); ++j) {
      const double number = row[static_cast<size_t>(j)];
      if (number > best || std::isnan(number)) best = number, place = static_cast<double>(j);
    }
    EXPECT_EQ(std::isnan(v[i]), std::isnan(best)) << i;
    if (!std::isnan(best)) {
      EXPECT_EQ(v[i], best) << i;
    }
    EXPECT_EQ(at[i], place) << i;
  }
}

TEST(MaxPool, ReadsAndWritesAnyStrides) {
  const Tensor x = tn::transpose(random({2, 3, 40, 9}), 2, 3);
  const auto [y, places] = tn::max_pool2d_with_indices(x, Sizes{3, 2});
  const Pooled expected = reference({{2, 3, 9, 40}, {3, 2}, {}}, x, y.size(-2), y.size(-1));
  EXPECT_EQ(numbers(y), expected.largest);
  EXPECT_EQ(numbers(places), expected.places);
  const Tensor wide = tn::zeros({2, 3, 3, 40}, TN_F64),
               wide_places = tn::zeros({2, 3, 3, 40}, TN_I64);
  const Tensor out = tn::slice(wide, 3, 0, 40, 2), out_places = tn::slice(wide_places, 3, 1, 40, 2);
  tn::max_pool2d_with_indices_out(out, out_places, x, Sizes{3, 2});
  EXPECT_EQ(numbers(out), expected.largest);
  EXPECT_EQ(numbers(out_places), expected.places);
  EXPECT_EQ(numbers(tn::slice(wide, 3, 1, 40, 2)), Numbers(expected.largest.size(), 0.0));
}

TEST(AvgPool, DividesByTheWindow) {
  for (const Case& c : kCases) {
    if (c.dilation != Sizes{1, 1}) continue;
    for (tn::DType dtype : {TN_F32, TN_F64, TN_BF16, TN_F16}) {
      const Tensor x = random(c.input, dtype);
      for (const Tensor& image : {x, c.input.size() == 4 ? channels_last(x) : x}) {
        const Tensor y = tn::avg_pool2d(image, c.kernel, c.stride, c.padding, c.ceil_mode);
        const Pooled expected = reference(c, x, y.size(-2), y.size(-1));
        expect_near(y, expected.means);
        expect_near(tn::avg_pool2d(image, c.kernel, c.stride, c.padding, c.ceil_mode, false),
                    expected.means_inside);
      }
    }
  }
  const Tensor ones = tensor(Numbers(16, 1.0), {1, 1, 4, 4});
  EXPECT_EQ(numbers(tn::avg_pool2d(ones, Sizes{2, 2}, Sizes{}, Sizes{0}, false, true, 8)),
            Numbers(4, 0.5));
}

TEST(AvgPool, AdaptsToAnOutputSize) {
  const Tensor x = random({2, 3, 7, 5});
  const Numbers values = numbers(x);
  const Tensor y = tn::adaptive_avg_pool2d(x, Sizes{3, 2});
  Numbers expected;
  for (int64_t p = 0; p < 6; ++p)
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < 2; ++j) {
        double sum = 0, count = 0;
        for (int64_t h = i * 7 / 3; h < ((i + 1) * 7 + 2) / 3; ++h)
          for (int64_t w = j * 5 / 2; w < ((j + 1) * 5 + 1) / 2; ++w, count += 1)
            sum += values[static_cast<size_t>((p * 7 + h) * 5 + w)];
        expected.push_back(sum / count);
      }
  expect_near(y, expected);
  expect_near(tn::adaptive_avg_pool2d(channels_last(x), Sizes{3, 2}), expected);
}

TEST(MaxPool, IsDifferentiableTwice) {
  for (const Case& c : {kCases[2], kCases[3], kCases[4]})
    expect_gradients(
        [&](auto& x) {
          return tn::max_pool2d(x[0], c.kernel, c.stride, c.padding, c.dilation, c.ceil_mode);
        },
        {random(c.input)});
}

TEST(AvgPool, IsDifferentiableTwice) {
  for (const Case& c : {kCases[0], kCases[2], kCases[3]})
    for (bool include : {false, true})
      expect_gradients(
          [&](auto& x) {
            return tn::avg_pool2d(x[0], c.kernel, c.stride, c.padding, c.ceil_mode, include);
          },
          {random(c.input)});
  expect_gradients(
      [](auto& x) {
        return tn::adaptive_avg_pool2d(x[0], Sizes{2, 3});
      },
      {random({1, 2, 5, 4})});
}

TEST(MaxPool, GradientsAgreeAcrossDtypesAndLayouts) {
  const Case& c = kCases[1];
  for (tn::DType dtype : {TN_F32, TN_BF16, TN_F16}) {
    const Tensor x = random(c.input, dtype);
    const auto [y, places] = tn::max_pool2d_with_indices(x, c.kernel, c.stride, c.padding);
    const Tensor g = random(sizes_of(y), dtype, 5);
    const Tensor& indices = places;  // clang 14 captures no structured bindings
    auto backward = [&](const Tensor& grad, const Tensor& image) {
      return tn::max_pool2d_with_indices_backward(grad, image, c.kernel, c.stride, c.padding,
                                                  c.dilation, false, indices);
    };
    const Numbers expected = numbers(backward(g.to(TN_F64), x.to(TN_F64)));
    expect_near(backward(g, x), expected);
    expect_near(backward(channels_last(g), channels_last(x)), expected);
    const Numbers means = numbers(tn::avg_pool2d_backward(
        g.to(TN_F64), x.to(TN_F64), c.kernel, c.stride, c.padding, false, true, std::nullopt));
    expect_near(tn::avg_pool2d_backward(channels_last(g), channels_last(x), c.kernel, c.stride,
                                        c.padding, false, true, std::nullopt),
                means);
  }
}

TEST(MaxPool, WritesIntoAStridedOutput) {
  const Case& c = kCases[1];
  const Tensor x = random(c.input, TN_BF16);
  const auto [y, places] = tn::max_pool2d_with_indices(x, c.kernel, c.stride, c.padding);
  const Tensor room = tn::zeros(Sizes{2, 70, 7, 14}, TN_BF16, "cpu");
  const Tensor target = tn::slice(room, 3, 0, 14, 2);
  tn::max_pool2d_with_indices_backward_out(target, y, x, c.kernel, c.stride, c.padding, c.dilation,
                                           false, places);
  expect_near(target, numbers(tn::max_pool2d_with_indices_backward(
                          y, x, c.kernel, c.stride, c.padding, c.dilation, false, places)));
  EXPECT_EQ(numbers(tn::slice(room, 3, 1, 14, 2)), Numbers(2 * 70 * 7 * 7, 0.0));
}

TEST(MaxPool, AKernelMayBeFarLargerThanTheImage) {
  constexpr int64_t kKernel = (int64_t{1} << 31) - 3, kPadding = (int64_t{1} << 30) - 2;
  const Tensor x = random({1, 2, 3, 4});
  // Every window holds the whole image.
  const Tensor largest = tn::max_pool2d(x, Sizes{kKernel}, Sizes{}, Sizes{kPadding});
  EXPECT_EQ(numbers(largest), numbers(tn::amax(x, Sizes{2, 3}, true)));
  const Tensor last = channels_last(x);
  EXPECT_EQ(numbers(tn::max_pool2d(last, Sizes{kKernel}, Sizes{}, Sizes{kPadding})),
            numbers(largest));
  expect_near(tn::avg_pool2d(x, Sizes{kKernel}, Sizes{}, Sizes{kPadding}, false, false),
              numbers(tn::mean(x, Sizes{2, 3}, true)));
}

TEST(AvgPool, NoCellsMayBeMany) {
  constexpr int64_t kMany = (int64_t{1} << 31) - 1;
  const Tensor x = random({2, 3, 4, 5});
  const Tensor none = tn::adaptive_avg_pool2d(x, Sizes{0, kMany});
  EXPECT_EQ(none.sizes(), tn::Ints(Sizes{2, 3, 0, kMany}));
  EXPECT_EQ(numbers(tn::_adaptive_avg_pool2d_backward(none, x)), Numbers(2 * 3 * 4 * 5, 0.0));
  EXPECT_EQ(tn::adaptive_avg_pool2d(random({0, 3, 4, 5}), Sizes{1, kMany}).sizes(),
            tn::Ints(Sizes{0, 3, 1, kMany}));
}

TEST(MaxPool, NamesWhatDoesNotFit) {
  const Tensor x = random({1, 2, 4, 4});
  expect_error(TN_INVALID_ARGUMENT, "half of kernel_size", [&] {
    tn::max_pool2d(x, Sizes{2, 2}, Sizes{}, Sizes{2, 2});
  });
  expect_error(TN_INVALID_ARGUMENT, "does not fit", [&] { tn::max_pool2d(x, Sizes{5, 5}); });
  expect_error(TN_INVALID_ARGUMENT, "stride must be 1 to 2^31 - 1, got 0", [&] {
    tn::avg_pool2d(x, Sizes{2, 2}, Sizes{0, 1});
  });
  expect_error(TN_INVALID_ARGUMENT, "[C, H, W]", [&] {
    tn::avg_pool2d(random({4, 4}), Sizes{2, 2});
  });
  expect_error(TN_INVALID_ARGUMENT, "divisor_override", [&] {
    tn::avg_pool2d(x, Sizes{2, 2}, Sizes{}, Sizes{0}, false, true, 0);
  });
  // Arithmetic with these would not fit 64 bits.
  constexpr int64_t kHuge = int64_t{1} << 62;
  expect_error(TN_INVALID_ARGUMENT, "dilation must be 1 to 2^31 - 1", [&] {
    tn::max_pool2d(x, Sizes{3, 3}, Sizes{}, Sizes{0}, Sizes{kHuge});
  });
  expect_error(TN_INVALID_ARGUMENT, "kernel_size must be 1 to 2^31 - 1",
               [&] { tn::avg_pool2d(x, Sizes{kHuge}, Sizes{}, Sizes{kHuge / 2}); });
  const Tensor g = random({1, 2, 2, 2});
  expect_error(TN_INDEX_ERROR, "got 16", [&] {
    tn::max_pool2d_with_indices_backward(g, x, Sizes{2, 2}, Sizes{2, 2}, Sizes{0, 0}, Sizes{1, 1},
                                         false, indices({0, 1, 2, 3, 4, 5, 6, 16}, {1, 2, 2, 2}));
  });
}

}  // namespace
