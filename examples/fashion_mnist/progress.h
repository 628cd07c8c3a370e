// A line that says how far training is; redrawn on a terminal, else one line an epoch.
#pragma once

#include <chrono>
#include <cstdint>

namespace fashion {

class Progress {
 public:
  // `images` in all epochs together.
  Progress(int64_t epochs, int64_t images) : epochs_(epochs), images_(images) {}

  // Whether a fifth of a second has passed since the last line: reading the loss makes the host
  // wait for the device, so it is not done at every step.
  bool is_due() const;
  // `seen` images in all, of which this epoch's have the mean `loss` and accuracy; `ends` an epoch.
  void show(int64_t epoch, int64_t seen, double loss, double accuracy, bool ends);
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  int64_t epochs_, images_;
  Clock::time_point start_ = Clock::now(), shown_ = start_;
};

}  // namespace fashion
