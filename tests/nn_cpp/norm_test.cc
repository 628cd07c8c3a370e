// Normalisation.
#include "support.h"

namespace {

using namespace test;

// Of the elements whose indices `group` maps to one key: the mean and the biased variance.
struct Moments {
  std::vector<double> mean, variance;
};
template <class Group>
Moments moments(const Numbers& x, size_t groups, Group group) {
  Numbers sum(groups), count(groups), square(groups);
  for (size_t i = 0; i < x.size(); ++i) {
    sum[group(i)] += x[i];
    count[group(i)] += 1;
  }
  for (size_t g = 0; g < groups; ++g) sum[g] /= count[g];
  for (size_t i = 0; i < x.size(); ++i)
    square[group(i)] += (x[i] - sum[group(i)]) * (x[i] - sum[group(i)]);
  for (size_t g = 0; g < groups; ++g) square[g] /= count[g];
  return {sum, square};
}

TEST(BatchNorm, NormalisesEachChannelAndMovesTheRunningStatistics) {
  for (tn::DType dtype : {TN_F32, TN_F64, TN_BF16, TN_F16})
    for (const Sizes& sizes : {Sizes{5, 3}, {4, 20, 6}, {3, 35, 4, 5}}) {
      const size_t channels = static_cast<size_t>(sizes[1]),
                   area = static_cast<size_t>(product(sizes)) / channels /
                          static_cast<size_t>(sizes[0]);
      const Tensor x = random(sizes, dtype) + 3.0;
      const Tensor w = random({sizes[1]}, dtype, 2), b = random({sizes[1]}, dtype, 3);
      const Numbers v = numbers(x), wv = numbers(w), bv = numbers(b);
      auto channel = [&](size_t i) { return i / area % channels; };
      const Moments m = moments(v, channels, channel);
      Numbers expected(v.size());
      for (size_t i = 0; i < v.size(); ++i) {
        const size_t c = channel(i);
        expected[i] = (v[i] - m.mean[c]) / std::sqrt(m.variance[c] + 1e-5) * wv[c] + bv[c];
      }
      for (const Tensor& image : {x, sizes.size() == 4 ? channels_last(x) : x}) {
        Tensor mean = random({sizes[1]}, dtype, 4), var = random({sizes[1]}, dtype, 5) + 2.0;
        const Numbers old_mean = numbers(mean), old_var = numbers(var);
        const Tensor y = tn::batch_norm(image, w, b, mean, var, true, 0.1, 1e-5, false);
        // A half's mean of 3 is rounded before it is taken off nowhere but in the input.
        expect_near(numbers(y), expected, 4 * tolerance(dtype));
        EXPECT_EQ(y.is_contiguous(), image.is_contiguous());
        const size_t each = v.size() / channels;
        const auto n = static_cast<double>(each);
        Numbers new_mean, new_var;
        for (size_t c = 0; c < channels; ++c) {
          new_mean.push_back(0.9 * old_mean[c] + 0.1 * m.mean[c]);
          new_var.push_back(0.9 * old_var[c] + 0.1 * m.variance[c] * n / (n - 1));
        }
        expect_near(mean, new_mean);
        expect_near(var, new_var);
        const Numbers rm = numbers(mean), rv = numbers(var);
        Numbers running(v.size());
        for (size_t i = 0; i < v.size(); ++i) {
          const size_t c = channel(i);
          running[i] = (v[i] - rm[c]) / std::sqrt(rv[c] + 1e-5) * wv[c] + bv[c];
        }
        expect_near(numbers(tn::batch_norm(image, w, b, mean, var, false, 0.1, 1e-5, false)),
                    running, 4 * tolerance(dtype));
      }
    }
}

TEST(BatchNorm, KeepsDigitsBesideALargeMean) {
  Numbers v(4096);
  for (size_t i = 0; i < v.size(); ++i) v[i] = 1e4 + (i % 2 ? 1 : -1);
  const Tensor x = tensor(v, {4096, 1}, TN_F32);
  for (double y :
       numbers(tn::batch_norm(x, Tensor(), Tensor(), Tensor(), Tensor(), true, 0.1, 0, false)))
    ASSERT_NEAR(std::fabs(y), 1, 1e-3);
}

TEST(BatchNorm, IsDifferentiableTwice) {
  const std::vector<Tensor> inputs = {random({3, 2, 2, 2}), random({2}, TN_F64, 2),
                                      random({2}, TN_F64, 3)};
  const Tensor mean = random({2}), var = random({2}) + 2.0;
  for (bool training : {true, false})
    expect_gradients(
        [=](auto& x) {
          return tn::batch_norm(x[0], x[1], x[2], training ? Tensor() : mean,
                                training ? Tensor() : var, training, 0.1, 1e-3, false);
        },
        inputs);
}

TEST(BatchNorm, GradientsAgreeAcrossDtypesAndLayouts) {
  const Sizes sizes = {4, 35, 5, 3};
  for (bool training : {true, false})
    for (tn::DType dtype : {TN_F32, TN_BF16}) {
      const Tensor x = random(sizes, dtype, 1), g = random(sizes, dtype, 2),
                   w = random({35}, dtype, 3);
      const Tensor mean = random({35}, dtype, 4), var = random({35}, dtype, 5) + 2.0;
      const bool all[] = {true, true, true};
      auto backward = [&](auto convert) {
        const Tensor a = convert(x), b = convert(g), k = convert(w), m = convert(mean),
                     v = convert(var);
        const auto [y, save, inv] =
            tn::native_batch_norm(a, k, Tensor(), Tensor(), Tensor(), true, 0.1, 1e-5);
        return tn::native_batch_norm_backward(b, a, k, m, v, save, inv, training, 1e-5,
                                              tn::Bools(all, 3));
      };
      const auto exact = backward([](const Tensor& t) { return t.to(TN_F64); });
      const auto plain = backward([](const Tensor& t) { return t; });
      const auto last =
          backward([](const Tensor& t) { return t.dim() == 4 ? channels_last(t) : t; });
      for (const auto& found : {plain, last}) {
        expect_near(numbers(std::get<0>(found)), numbers(std::get<0>(exact)), 2 * tolerance(dtype));
        expect_near(numbers(std::get<1>(found)), numbers(std::get<1>(exact)), 4 * tolerance(dtype));
        expect_near(numbers(std::get<2>(found)), numbers(std::get<2>(exact)), 4 * tolerance(dtype));
      }
    }
}

TEST(LayerNorm, NormalisesRows) {
  for (tn::DType dtype : {TN_F32, TN_F64, TN_BF16, TN_F16})
    for (const Sizes& shape : {Sizes{1}, {37}, {4, 10}, {1000}}) {
      Sizes sizes = {3, 2};
      sizes.insert(sizes.end(), shape.begin(), shape.end());
      const size_t width = static_cast<size_t>(product(shape));
      const Tensor x = random(sizes, dtype) + 1.0, w = random(shape, dtype, 2),
                   b = random(shape, dtype, 3);
      const Numbers v = numbers(x), wv = numbers(w), bv = numbers(b);
      auto row = [&](size_t i) { return i / width; };
      const Moments m = moments(v, 6, row);
      Numbers expected(v.size());
      for (size_t i = 0; i < v.size(); ++i)
        expected[i] =
            (v[i] - m.mean[row(i)]) / std::sqrt(m.variance[row(i)] + 1e-5) * wv[i % width] +
            bv[i % width];
      expect_near(numbers(tn::layer_norm(x, shape, w, b)), expected, 4 * tolerance(dtype));
      const auto [y, mean, rstd] = tn::native_layer_norm(x, shape, w, b, 1e-5);
      EXPECT_EQ(mean.size(0), 3);
      EXPECT_EQ(mean.dim(), x.dim());
      EXPECT_EQ(mean.dtype(), dtype == TN_F64 ? TN_F64 : TN_F32);
      expect_near(mean, m.mean);
    }
}

TEST(LayerNorm, IsDifferentiableTwice) {
  const std::vector<Tensor> inputs = {random({2, 3, 4}), random({3, 4}, TN_F64, 2),
                                      random({3, 4}, TN_F64, 3)};
  expect_gradients(
      [](auto& x) {
        return tn::layer_norm(x[0], Sizes{3, 4}, x[1], x[2], 1e-2);
      },
      inputs);
  expect_gradients([](auto& x) { return tn::layer_norm(x[0], Sizes{4}, Tensor(), Tensor(), 1e-2); },
                   {inputs[0]});
  expect_gradients([](auto& x) { return tn::group_norm(x[0], 2, x[1], x[2], 1e-2); },
                   {random({2, 4, 3}), random({4}, TN_F64, 2), random({4}, TN_F64, 3)});
  expect_gradients([](auto& x) { return tn::rms_norm(x[0], Sizes{4}, x[1], 1e-2); },
                   {inputs[0], random({4}, TN_F64, 2)});
}

TEST(LayerNorm, GradientsAgreeAcrossDtypes) {
  const bool all[] = {true, true, true};
  for (tn::DType dtype : {TN_F32, TN_BF16}) {
    const Tensor x = random({50, 70}, dtype, 1), g = random({50, 70}, dtype, 2),
                 w = random({70}, dtype, 3);
    auto backward = [&](tn::DType d) {
      const auto [y, mean, rstd] =
          tn::native_layer_norm(x.to(d), Sizes{70}, w.to(d), w.to(d), 1e-5);
      return tn::native_layer_norm_backward(g.to(d), x.to(d), Sizes{70}, mean, rstd, w.to(d),
                                            w.to(d), tn::Bools(all, 3));
    };
    const auto exact = backward(TN_F64), found = backward(dtype);
    expect_near(numbers(std::get<0>(found)), numbers(std::get<0>(exact)), 2 * tolerance(dtype));
    expect_near(numbers(std::get<1>(found)), numbers(std::get<1>(exact)), 4 * tolerance(dtype));
    expect_near(numbers(std::get<2>(found)), numbers(std::get<2>(exact)), 4 * tolerance(dtype));
  }
}

TEST(LayerNorm, GroupsAndRootMeanSquaresMatchTheirDefinitions) {
  const Tensor x = random({2, 6, 5}), w = random({6}, TN_F64, 2), b = random({6}, TN_F64, 3);
  const Numbers v = numbers(x), wv = numbers(w), bv = numbers(b);
  auto group = [](size_t i) { return i / 15; };
  const Moments m = moments(v, 4, group);
  Numbers grouped(v.size()), rms(v.size());
  for (size_t i = 0; i < v.size(); ++i) {
    const size_t c = i / 5 % 6;
    grouped[i] = (v[i] - m.mean[group(i)]) / std::sqrt(m.variance[group(i)] + 1e-5) * wv[c] + bv[c];
    double squares = 0;
    for (size_t k = 0; k < 5; ++k) squares += v[i / 5 * 5 + k] * v[i / 5 * 5 + k] / 5;
    rms[i] = v[i] / std::sqrt(squares + 1e-6);
  }
  expect_near(tn::group_norm(x, 2, w, b), grouped);
  expect_near(tn::rms_norm(x, Sizes{5}, Tensor(), 1e-6), rms);
}

TEST(BatchNorm, NamesWhatDoesNotFit) {
  const Tensor x = random({2, 3});
  expect_error(TN_INVALID_ARGUMENT, "outside training", [&] {
    tn::batch_norm(x, Tensor(), Tensor(), Tensor(), Tensor(), false, 0.1, 1e-5, false);
  });
  expect_error(TN_INVALID_ARGUMENT, "weight does not fit", [&] {
    tn::batch_norm(x, random({2}), Tensor(), Tensor(), Tensor(), true, 0.1, 1e-5, false);
  });
  const Tensor shared = tn::expand(tn::zeros({1}), {3});
  expect_error(TN_RUNTIME_ERROR, "share memory", [&] {
    tn::native_batch_norm(tn::ones({2, 3}), {}, {}, shared, tn::ones({3}), true, 0.1, 1e-5);
  });
  EXPECT_EQ(shared.to_vector<float>(), (std::vector<float>{0, 0, 0}));
  expect_error(TN_INVALID_ARGUMENT, "at least one value", [&] {
    tn::batch_norm(random({0, 3}), Tensor(), Tensor(), Tensor(), Tensor(), true, 0.1, 1e-5, false);
  });
  expect_error(TN_INVALID_ARGUMENT, "last sizes of the input",
               [&] { tn::layer_norm(x, Sizes{2}); });
  expect_error(TN_NOT_IMPLEMENTED, "float dtype", [&] {
    tn::layer_norm(indices({1, 2}, {2}), Sizes{2});
  });
  expect_error(TN_INVALID_ARGUMENT, "num_groups", [&] { tn::group_norm(x, 2); });
}

TEST(BatchNorm, TheGradientsStatisticsAreOnePerChannel) {
  const Tensor x = random({4, 3}), good = random({3}), none;
  const bool all[] = {true, true, true};
  const auto backward = [&](const Tensor& weight, const Tensor& center, const Tensor& spread,
                            bool train) {
    const Tensor& unused = none;
    tn::native_batch_norm_backward(x, x, weight, train ? unused : center, train ? unused : spread,
                                   train ? center : unused, train ? spread : unused, train, 1e-5,
                                   tn::Bools(all, 3));
  };
  for (const bool train : {true, false}) {
    backward(good, good, good, train);
    for (const Tensor& bad : {random({2}), random({3, 1}), random({3}, TN_F32)}) {
      expect_error(TN_INVALID_ARGUMENT, "weight does not fit",
                   [&] { backward(bad, good, good, train); });
      expect_error(TN_INVALID_ARGUMENT, "mean does not fit",
                   [&] { backward(good, bad, good, train); });
      expect_error(TN_INVALID_ARGUMENT,
                   train ? "save_invstd does not fit" : "running_var does not fit",
                   [&] { backward(good, good, bad, train); });
    }
    expect_error(TN_INVALID_ARGUMENT, "are needed", [&] { backward(good, good, none, train); });
  }
}

TEST(LayerNorm, TheGradientsBiasFitsToo) {
  const Tensor x = random({4, 3}), row = random({4, 1}), none;
  const bool all[] = {true, true, true};
  for (const Tensor& bad : {random({2}), random({3}, TN_F32), indices({1, 2, 3}, {3})})
    expect_error(TN_INVALID_ARGUMENT, "bias does not fit", [&] {
      tn::native_layer_norm_backward(x, x, Sizes{3}, row, row, none, bad, tn::Bools(all, 3));
    });
}

}  // namespace
