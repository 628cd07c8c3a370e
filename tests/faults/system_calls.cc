#include "system_calls.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <thread>
#include <vector>

namespace faults {
namespace {

// What main thread and answering thread share.
std::atomic<int> kind_failing{-1};
std::atomic<int> with_error{0};
std::atomic<uint64_t> failing_nth{0};
std::atomic<bool> and_all_after{false};
std::atomic<uint64_t> counted{0};

struct Watched {
  uint32_t number;
  SystemCall kind;
};
constexpr Watched kWatched[] = {
    {SYS_openat, SystemCall::kOpen},     {SYS_read, SystemCall::kRead},
    {SYS_pread64, SystemCall::kRead},    {SYS_getdents64, SystemCall::kRead},
    {SYS_fstat, SystemCall::kLook},      {SYS_newfstatat, SystemCall::kLook},
    {SYS_readlinkat, SystemCall::kLook},
#ifdef SYS_readlink
    {SYS_readlink, SystemCall::kLook},
#endif
    {SYS_mmap, SystemCall::kMap}};

int error_for(uint32_t number) {
  const auto* watched = std::find_if(std::begin(kWatched), std::end(kWatched),
                                     [&](const Watched& w) { return w.number == number; });
  if (static_cast<int>(watched->kind) != kind_failing.load()) return 0;
  const uint64_t n = ++counted, nth = failing_nth.load();
  return nth != 0 && (n == nth || (n > nth && and_all_after.load())) ? with_error.load() : 0;
}

void answer(int listener) {
  for (;;) {
    seccomp_notif call{};
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) continue;
    seccomp_notif_resp reply{};
    reply.id = call.id;
    reply.error = -error_for(static_cast<uint32_t>(call.data.nr));
    if (reply.error == 0) reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
  }
}

}  // namespace

bool answer_system_calls() {
  // Made before there is a filter, so that it is not under it.
  static std::atomic<int> listener{-1};
  std::thread([] {
    listener.wait(-1);
    answer(listener.load());
  }).detach();

  // An instruction jumps over as many of the next as it says, where its comparison holds and where
  // not.
  constexpr uint16_t kLoad = BPF_LD | BPF_W | BPF_ABS, kIfEqual = BPF_JMP | BPF_JEQ | BPF_K,
                     kReturn = BPF_RET | BPF_K;
  constexpr uint32_t kDescriptor = offsetof(seccomp_data, args) + 4 * sizeof(uint64_t);
  std::vector<sock_filter> filter = {{kLoad, 0, 0, offsetof(seccomp_data, nr)}};
  for (const Watched& watched : kWatched)
    if (watched.kind != SystemCall::kMap) {
      filter.push_back({kIfEqual, 0, 1, watched.number});
      filter.push_back({kReturn, 0, 0, SECCOMP_RET_USER_NOTIF});
    }
  // A mapping of memory has the descriptor -1.
  filter.insert(filter.end(), {{kIfEqual, 0, 2, SYS_mmap},
                               {kLoad, 0, 0, kDescriptor},
                               {kIfEqual, 0, 1, UINT32_MAX},
                               {kReturn, 0, 0, SECCOMP_RET_ALLOW},
                               {kReturn, 0, 0, SECCOMP_RET_USER_NOTIF}});
  const sock_fprog program = {static_cast<uint16_t>(filter.size()), filter.data()};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const long made =
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
  if (made < 0) return false;
  listener = static_cast<int>(made);
  listener.notify_one();
  return true;
}

void fail_system_calls(SystemCall kind, uint64_t nth, bool from_then_on, int error) {
  counted = 0;
  failing_nth = nth;
  and_all_after = from_then_on;
  with_error = error;
  kind_failing = static_cast<int>(kind);
}

uint64_t end_system_calls() {
  kind_failing = -1;
  return counted;
}

}  // namespace faults
