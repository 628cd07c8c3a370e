// Starting while the process has no descriptor left, the kernel no memory, or a signal comes: every
// system call for a file fails in turn. Such a failure says nothing of the file. It may end the
// call that meets it, with the reason; the next call tries again, and nothing is missing then.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <span>
#include <string>
#include <tuple>

#include <tenon/sdk/tensor.h>

#include "start_stages.h"
#include "system_calls.h"

namespace faults {
namespace {

struct Failure {
  const char* name;
  SystemCall kind;
  int error;
  bool lasts;  // may go on for longer than one call
};

constexpr Failure kFailures[] = {
    {"no_descriptor", SystemCall::kOpen, EMFILE, true},
    {"no_descriptor_in_the_system", SystemCall::kOpen, ENFILE, true},
    {"a_signal_while_opening", SystemCall::kOpen, EINTR, false},
    {"a_signal_while_reading", SystemCall::kRead, EINTR, false},
    {"no_memory_to_look_at_files", SystemCall::kLook, ENOMEM, true},
    {"no_memory_to_map_files", SystemCall::kMap, ENOMEM, true},
};

std::ptrdiff_t descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

bool is_clean(tn_status status, int error) {
  switch (tn::api->status_code(status)) {
    case TN_OK:  // the call could be done without
      return true;
    case TN_OUT_OF_MEMORY:
      return error == ENOMEM;
    default:
      return (tn::api->status_flags(status) & TN_ERROR_RETRYABLE) != 0 &&
             std::strstr(tn::api->status_message(status), std::strerror(error)) != nullptr;
  }
}

// 0: the stage `at` with this failure, then it and all after it without, went as they should.
int meet(size_t at, const Failure& failure, uint64_t nth, bool from_then_on) {
  const std::span<const Stage> stages = start_stages().subspan(at);
  if (!answer_system_calls()) return 1;
  const std::ptrdiff_t before = descriptors();
  fail_system_calls(failure.kind, nth, from_then_on, failure.error);
  tn_status first = tn::guard(stages[0].run);
  end_system_calls();
  tn_status again = first ? tn::guard(stages[0].check_failed) : nullptr;
  for (const Stage& stage : stages)
    if (!again) again = tn::guard(stage.run);
  const bool clean = is_clean(first, failure.error) && !again && descriptors() == before;
  if (!clean)
    std::fprintf(stderr, "%s\nand then: %s\n", tn::api->status_message(first),
                 tn::api->status_message(again));
  return clean ? 0 : 1;
}

// Calls of that kind in the stage; -1 where the kernel cannot say.
int count(const Stage& stage, SystemCall kind) {
  int ends[2], calls = -1;
  if (pipe(ends) != 0) return -1;
  ending([&] {
    if (!answer_system_calls()) return 1;
    fail_system_calls(kind, 0, false, 0);
    stage.run();
    const int made = static_cast<int>(end_system_calls());
    return write(ends[1], &made, sizeof made) == sizeof made ? 0 : 1;
  });
  close(ends[1]);
  if (read(ends[0], &calls, sizeof calls) != sizeof calls) calls = -1;
  close(ends[0]);
  return calls;
}

constexpr int kNoFilters = 77;

// 0: every call of the kind met its failure as it should. In a process where the stages before are
// done.
int meet_all(size_t at, const Failure& failure) {
  const Stage& stage = start_stages()[at];
  stage.check_failed();  // and opens what looking opens
  const int calls = count(stage, failure.kind);
  if (calls < 0) return kNoFilters;
  std::fprintf(stderr, "%d calls\n", calls);
  for (int nth = 1; nth <= calls; ++nth)
    for (const bool from_then_on : {false, true}) {
      if (from_then_on && !failure.lasts) continue;
      const int end =
          ending([&] { return meet(at, failure, static_cast<uint64_t>(nth), from_then_on); });
      if (end == 0) continue;
      std::fprintf(stderr, "call %d of %d fails%s: the process ended with %d\n", nth, calls,
                   from_then_on ? ", and all after it" : "", end);
      return 1;
    }
  return 0;
}

class StartCalls : public testing::TestWithParam<std::tuple<size_t, Failure>> {};

TEST_P(StartCalls, what_fails_only_now_is_tried_again) {
  const auto& [at, failure] = GetParam();
  const int end = ending([at = at, &failure = failure] {
    tn::api = tn_get_host();
    for (const Stage& stage : start_stages().first(at)) stage.run();
    return meet_all(at, failure);
  });
  if (WIFEXITED(end) && WEXITSTATUS(end) == kNoFilters)
    GTEST_SKIP() << "the kernel does not pass system calls on (seccomp notifications)";
  EXPECT_EQ(end, 0);
}

INSTANTIATE_TEST_SUITE_P(Stage, StartCalls,
                         testing::Combine(testing::Range(size_t{0}, start_stages().size()),
                                          testing::ValuesIn(kFailures)),
                         [](const auto& one) {
                           return std::string(start_stages()[std::get<0>(one.param)].name) + "_" +
                                  std::get<1>(one.param).name;
                         });

}  // namespace
}  // namespace faults
