// Starting without memory: configuration, discovery, loading plugins and their first calls. Each
// failure is met by a process of its own, whose runtime is fresh.
//
// Of a stage that makes more than kMany allocations, nearly all of them for one operator as for
// another, the first kFirst fail and then every kStride-th. --every: all, which takes some minutes.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>

#include <tenon/sdk/operators.h>

#include "injector.h"
#include "start_stages.h"

namespace faults {

bool every = false;  // --every

namespace {

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
              for (size_t i = 0; i < GetParam(); ++i) start_stages()[i].run();
              return meet_all(start_stages()[GetParam()]);
            }),
            0);
}

INSTANTIATE_TEST_SUITE_P(Stage, Start, testing::Range(size_t{0}, start_stages().size()),
                         [](const auto& one) { return start_stages()[one.param].name; });

TEST(StartFromFiles, works_where_reads_bring_a_few_bytes_at_a_time) {
  EXPECT_EQ(ending([] {
              tn::api = tn_get_host();
              fault_shorten(5);
              fault_plan(FAULT_READ, 2, 0, EINTR);
              for (const Stage& stage : start_stages()) stage.run();
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
