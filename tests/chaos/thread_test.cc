// Any function may be called from any thread. Here many are at once, with nothing among them that
// orders one after the other, so that the thread sanitizer's build sees what they share.
#include <atomic>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <tenon/sdk.h>

namespace {

using tn::Tensor;

// Each job in a thread of its own, again and again until all have been done `rounds` times.
void at_once(int rounds, const std::vector<std::function<void()>>& jobs) {
  std::atomic<int> unfinished{static_cast<int>(jobs.size())};
  std::vector<std::thread> threads;
  for (const auto& job : jobs)
    threads.emplace_back([&] {
      try {
        for (int i = 0; i < rounds || unfinished > 0; ++i) {
          if (i == rounds) --unfinished;
          job();
        }
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
        unfinished = 0;
      }
    });
  for (std::thread& thread : threads) thread.join();
}

std::string text(tn_status (*ask)(tn_value* out)) {
  tn_value value{};
  tn::check(ask(&value));
  std::string copy(value.u.str, value.len);
  tn::api->value_drop(&value);
  return copy;
}

int32_t host() {
  tn_device device;
  tn::check(tn::api->device_host(&device));
  return device.type;
}

void every_plugin() {
  for (size_t i = 0; i < tn::api->plugin_count(); ++i) {
    tn_plugin_info info = TN_INIT(tn_plugin_info);
    tn::check(tn::api->plugin_get_info(i, &info));
    tn::check(tn::api->plugin_load(info.name));
  }
}

void every_operator() {
  for (size_t i = 0; i < tn::api->op_count(); ++i) {
    const tn_op* op = tn::api->op_at(i);
    const tn_schema& schema = *tn::api->op_schema(op);
    const tn_op* overloads[16];
    EXPECT_GT(tn::api->op_overloads(schema.name, overloads, 16), 0u);
    const tn_op* found = nullptr;
    tn::check(tn::api->resolve_op(schema.name, schema.overload, 0, &found));
    EXPECT_EQ(found, op);
    tn_value providers{};
    tn::check(tn::api->op_providers(op, host(), &providers));
    tn::api->value_drop(&providers);
  }
}

void every_key() {
  for (size_t i = 0; i < tn::api->config_count(); ++i) {
    const char *key = nullptr, *value = nullptr, *origin = nullptr;
    tn::check(tn::api->config_at(i, &key, &value, &origin));
    EXPECT_GT(std::strlen(key), 0u);
    EXPECT_GT(std::strlen(value), 0u);
    EXPECT_GT(std::strlen(origin), 0u);
  }
  for (size_t i = 0; i < tn::api->config_key_count(); ++i) {
    tn_config_key key = TN_INIT(tn_config_key);
    tn::check(tn::api->config_key_at(i, &key));
  }
}

void memory() {
  tn_memory_stats stats = TN_INIT(tn_memory_stats);
  tn::check(tn::api->memory_get_stats(host(), &stats));
  EXPECT_LE(stats.live_bytes, stats.peak_bytes);
  tn::check(tn::api->memory_trim(host()));
}

void settings() {
  tn::check(tn::api->set_num_threads(1 + tn::api->num_threads() % 2));
  tn::check(tn::api->config_set("fallback", tn::api->num_threads() == 1 ? "'error'" : "'warn'"));
}

void report() {
  EXPECT_NE(text([](tn_value* out) { return tn::api->doctor(1, out); }).find("plugins"),
            std::string::npos);
}

void explanation() {
  static const tn::Operator op("mm");
  const Tensor x = tn::ones({2, 2});
  const tn_value args[] = {tn::to_value(x), tn::to_value(x)};
  tn_value story{};
  tn::check(tn::api->explain(op.get(), args, 2, 1, &story));
  tn::api->value_drop(&story);
}

void wrong_call() {
  EXPECT_THROW(tn::mm(tn::ones({2, 3}), tn::ones({2, 3})), tn::Error);
}

void product() {
  const Tensor x = tn::ones({128, 128});
  EXPECT_EQ(tn::sum(tn::mm(x, tn::add(x, x))).item(), 2.0 * 128 * 128 * 128);
}

void gradient() {
  Tensor x = tn::ones({3});
  x.requires_grad_();
  tn::sum(tn::mul(x, x)).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{2, 2, 2}));
}

void random() {
  tn::api->manual_seed(7);
  EXPECT_EQ(tn::randn({1000}).numel(), 1000);
}

TEST(Threads, everything_is_asked_while_plugins_load_and_operators_run) {
  at_once(20, {every_plugin, every_operator, every_key, memory, settings, report, explanation,
               wrong_call, product, product, gradient, gradient, random});
}

TEST(Threads, one_tensor_is_read_in_every_way) {
  const Tensor x = tn::reshape(tn::arange(24), {2, 3, 4}), y = tn::transpose(x, 0, 2);
  const auto on_both = [&](auto&& read) {
    return [&x, &y, read] {
      read(x);
      read(y);
    };
  };
  at_once(500, {
                   on_both([](const Tensor& t) { EXPECT_EQ(tn::sum(t).item(), 276); }),
                   on_both([](const Tensor& t) { EXPECT_EQ(tn::slice(t, 1, 0, 2).numel(), 16); }),
                   on_both([](const Tensor& t) { EXPECT_EQ(tn::contiguous(t).numel(), 24); }),
                   on_both([](const Tensor& t) {
                     char form[64];
                     EXPECT_GT(tn::api->tensor_describe(t.get(), form, sizeof form), 0);
                     EXPECT_EQ(tn::api->tensor_version(t.get()), 0u);
                   }),
                   on_both([](const Tensor& t) {
                     void* managed = nullptr;
                     tn_tensor* again = nullptr;
                     tn::check(tn::api->tensor_to_dlpack(t.get(), &managed));
                     tn::check(tn::api->tensor_from_dlpack(managed, &again));
                     EXPECT_EQ(Tensor::own(again).data<int64_t>(), t.data<int64_t>());
                   }),
                   on_both([](const Tensor& t) {
                     tn::api->tensor_weak_retain(t.get());
                     tn::api->tensor_release(tn::api->tensor_lock(t.get()));
                     tn::api->tensor_weak_release(t.get());
                   }),
               });
}

}  // namespace
