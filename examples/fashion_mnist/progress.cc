#include "progress.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>

namespace fashion {
namespace {

bool on_terminal() {
  return isatty(STDOUT_FILENO) != 0;
}

}  // namespace

bool Progress::is_due() const {
  return on_terminal() && Clock::now() - shown_ > std::chrono::milliseconds(200);
}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void Progress::show(int64_t epoch, int64_t seen, double loss, double accuracy, bool ends) {
  shown_ = Clock::now();
  const double rate = static_cast<double>(seen) / seconds();
  const long left = std::lround(static_cast<double>(images_ - seen) / rate);
  std::printf("%sepoch %lld/%lld  loss %.4f  accuracy %.2f %%  %.0f images/s  %ld:%02ld left%s",
              on_terminal() ? "\r\033[K" : "", static_cast<long long>(epoch),
              static_cast<long long>(epochs_), loss, 100 * accuracy, rate, left / 60, left % 60,
              ends ? "\n" : "");
  std::fflush(stdout);
}

}  // namespace fashion
