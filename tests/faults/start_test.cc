// Starting without memory: configuration, discovery, loading plugins and their first calls. Each
// failure is met by a process of its own, whose runtime is fresh.
//
// Of a stage that makes more than kMany allocations, nearly all of them for one operator as for
// another, the first kFirst fail and then every kStride-th. --every: all, which takes some minutes.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iterator>

#include <tenon/safetensors.h>
#include <tenon/sdk/autograd.h>
#include <tenon/sdk/operators.h>

#include "injector.h"

namespace faults {

bool every = false;  // --every

namespace {

// A part of a program's start. Those before it have succeeded.
struct Stage {
  const char* name;
  void (*run)();
  void (*check_failed)() = [] {};  // looks at what a failure must leave as it was
};

void init() {
  tn::check(tn::api->init(TN_ABI_MAJOR, TN_ABI_MINOR));
}
void first_call() {
  const tn::Tensor sum = tn::ones({2, 3}) + 1;
  if (sum.to_vector<float>()[5] != 2) tn::fail(TN_INTERNAL, "a wrong sum");
}
void first_gradient() {
  const tn::Tensor x = tn::ones({3}).requires_grad_();
  tn::sum(tn::exp(x) * x).backward();
  if (std::abs(x.grad().to_vector<float>()[2] - 5.4365637f) > 1e-5f)
    tn::fail(TN_INTERNAL, "a wrong gradient");
}
void first_file() {
  const void* table = nullptr;
  tn::check(tn::api->get_interface(TN_SAFETENSORS_INTERFACE, 1, &table));
}
void doctor() {
  tn_value text{};
  tn::check(tn::api->doctor(1, &text));
  tn::api->value_drop(&text);
}

// exp() in the layer that the plugin brings.
tn_status exp_in_late_layer(tn_value* out) {
  const tn::Operator exp("exp");
  tn_thread_state state;
  tn::api->thread_state_get(&state);
  state.include |= tn::api->layer_bit("faults_late");
  const tn::Tensor x = tn::zeros({1});
  const tn_value arg = tn::to_value(x);
  return tn::api->call_with(&state, exp.get(), &arg, 1, out, 1);
}
void late_plugin() {
  tn::check(tn::api->plugin_load("faults_late"));
  const tn::Tensor x = tn::ones({2});
  const tn::Tensor y = tn::Operator("faults_late.same").call<tn::Tensor>(x);
  if (y.data<float>() != x.data<float>()) tn::fail(TN_INTERNAL, "a wrong tensor");
  tn_value out{};
  tn_status status = exp_in_late_layer(&out);
  if (tn::api->status_code(status) != TN_RUNTIME_ERROR)
    tn::check(status ? status : tn::api->status_out_of_memory());  // ran without its layer
  tn::api->status_release(status);
}
void no_late_plugin() {
  tn_plugin_info info = TN_INIT(tn_plugin_info);
  for (size_t i = 0; i < tn::api->plugin_count(); ++i) {
    tn::check(tn::api->plugin_get_info(i, &info));
    if (std::strcmp(info.name, "faults_late") == 0 && info.state == TN_PLUGIN_LOADED) return;
  }
  // A call in its layer, or of its operator, would load it.
  const tn::Operator exp("exp");
  if (tn::api->op_attribute(exp.get(), "faults_late.mark", 0, 1))
    tn::fail(TN_INTERNAL, "an attribute of a plugin that failed");
}

constexpr Stage kStages[] = {{"init", init},
                             {"first_call", first_call},
                             {"first_gradient", first_gradient},
                             {"first_file", first_file},
                             {"late_plugin", late_plugin, no_late_plugin},
                             {"doctor", doctor}};

// Runs `body` in a process of its own that ends with what it returns.
int ending(const std::function<int()>& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(600);  // a hang ends it
    _exit(body());
  }
  int status = -1;
  return waitpid(child, &status, 0) == child ? status : -1;
}

constexpr int kMany = 2000;
constexpr int kFirst = 300;
constexpr int kStride = 47;

// Blocks that the dynamic loader loses itself when it gives a library up.
constexpr int64_t kLoadersOwn = 8;

// What a stage takes when nothing fails.
struct Needs {
  uint64_t allocations = 0;
  int64_t kept = 0;  // blocks of the heap, after it
};

// 0: the stage with this failure, and once more without, went as it should, and holds no more than
// without.
int meet(const Stage& stage, const Needs& needs, uint64_t nth, bool from_then_on) {
  const int64_t before = fault_heap_blocks();
  fault_plan(FAULT_MEMORY, nth, from_then_on, ENOMEM);
  tn_status first = tn::guard(stage.run);
  fault_end();
  tn_status again = first ? tn::guard(stage.check_failed) : nullptr;
  if (!again) again = tn::guard(stage.run);
  const tn_code code = tn::api->status_code(first);
  const bool clean = (code == TN_OK || code == TN_OUT_OF_MEMORY) && !again;
  if (!clean)
    std::fprintf(stderr, "%s\nand then: %s\n", tn::api->status_message(first),
                 tn::api->status_message(again));
  tn::api->status_release(first);
  tn::api->status_release(again);
  const int64_t kept = fault_heap_blocks() - before - needs.kept;
  if (kept > kLoadersOwn)
    std::fprintf(stderr, "%d blocks of the heap are left, %d without a failure\n",
                 static_cast<int>(kept + needs.kept), static_cast<int>(needs.kept));
  return clean && kept <= kLoadersOwn ? 0 : 1;
}

Needs needs_of(const Stage& stage) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  ending([&] {
    const int64_t before = fault_heap_blocks();
    fault_plan(FAULT_MEMORY, 0, 0, ENOMEM);
    stage.run();
    const Needs needs = {fault_end(), fault_heap_blocks() - before};
    return write(ends[1], &needs, sizeof needs) == sizeof needs ? 0 : 1;
  });
  close(ends[1]);
  Needs needs;
  if (read(ends[0], &needs, sizeof needs) != sizeof needs) needs = {};
  close(ends[0]);
  return needs;
}

// 0: all failures of the stage were met as they should be. In a process where the stages before it
// are done.
int meet_all(const Stage& stage) {
  stage.check_failed();  // and makes what looking makes
  const Needs needs = needs_of(stage);
  const auto count = static_cast<int>(needs.allocations);
  const bool all = every || count <= kMany;
  std::fprintf(stderr, "%d allocations\n", count);
  for (int nth = 1; nth <= count; nth += all || nth < kFirst ? 1 : kStride)
    for (const bool from_then_on : {false, true}) {
      const int end =
          ending([&] { return meet(stage, needs, static_cast<uint64_t>(nth), from_then_on); });
      if (end == 0) continue;
      std::fprintf(stderr, "allocation %d of %d fails%s: the process ended with %d\n", nth, count,
                   from_then_on ? ", and all after it" : "", end);
      return 1;
    }
  return count > 0 ? 0 : 1;
}

class Start : public testing::TestWithParam<size_t> {};

TEST_P(Start, fails_cleanly_at_every_allocation) {
  EXPECT_EQ(ending([] {
              tn::api = tn_get_host();
              for (size_t i = 0; i < GetParam(); ++i) kStages[i].run();
              return meet_all(kStages[GetParam()]);
            }),
            0);
}

INSTANTIATE_TEST_SUITE_P(Stage, Start, testing::Range(size_t{0}, std::size(kStages)),
                         [](const auto& one) { return kStages[one.param].name; });

TEST(StartFromFiles, works_where_reads_bring_a_few_bytes_at_a_time) {
  EXPECT_EQ(ending([] {
              tn::api = tn_get_host();
              fault_shorten(5);
              fault_plan(FAULT_READ, 2, 0, EINTR);
              for (const Stage& stage : kStages) stage.run();
              return fault_end() > 10 ? 0 : 1;
            }),
            0);
}

// The OpenMP runtime itself ends the process where it finds no memory: it must not be asked then.
TEST(StartOfThreads, is_left_out_where_there_is_no_memory_for_them) {
  const auto threads = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  };
  EXPECT_EQ(ending([&] {
              tn::init();
              tn::check(tn::api->set_num_threads(1));
              const tn::Tensor x = tn::ones({1 << 20}), out = x + x;
              tn::check(tn::api->set_num_threads(2));
              if (threads() != 1) return 1;
              fault_plan(FAULT_MEMORY, 1, 1, ENOMEM);
              tn_status status = tn::guard([&] { tn::add_out(out, x, x); });
              fault_end();
              if (status || out.to_vector<float>().back() != 2 || threads() != 1) return 2;
              tn::add_out(out, out, x);
              return out.to_vector<float>().back() == 3 && threads() == 2 ? 0 : 3;
            }),
            0);
}

}  // namespace
}  // namespace faults

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  setenv("TENON_CONFIG", FAULTS_CONFIG, 1);
  setenv("TENON_PLUGIN_PATH", FAULTS_PLUGIN_DIR, 0);
  faults::every = argc > 1 && std::strcmp(argv[1], "--every") == 0;
  return RUN_ALL_TESTS();
}
