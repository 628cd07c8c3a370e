#include "sweep.h"

#include <algorithm>
#include <cerrno>

#include "injector.h"
#include "ledger.h"
#include "spare_blocks.h"

namespace faults {
namespace {

bool heap_is_spared = false;

// Where allocations fail.
struct Source {
  const char* name;
  void (*begin)(uint64_t nth, bool from_then_on);
  // Whether the run, which was to fail once, has come so far.
  bool (*end)(uint64_t nth);
};

constexpr Source kHeap = {
    "the heap",
    [](uint64_t nth, bool from_then_on) { fault_plan(FAULT_MEMORY, nth, from_then_on, ENOMEM); },
    [](uint64_t nth) { return fault_end() >= nth; }};

constexpr Source kCore = {
    "the core's blocks",
    [](uint64_t nth, bool from_then_on) { tn::api->memory_fail(nth, from_then_on); },
    [](uint64_t nth) {
      // The failure that the run has left over meets one of as many allocations.
      bool left = false;
      for (uint64_t i = 0; i < nth && !left; ++i) {
        void* block = tn::api->memory_allocate(1);
        left = block == nullptr;
        tn::api->memory_free(block, 1);
      }
      tn::api->memory_fail(0, 0);
      return !left;
    }};

// A tensor's form and contents.
struct Picture {
  std::vector<int64_t> sizes, strides;
  std::vector<char> bytes;
  bool operator==(const Picture&) const = default;
};

std::vector<Picture> pictures(const std::vector<tn::Tensor>& tensors) {
  std::vector<Picture> all;
  for (const tn::Tensor& t : tensors) {
    Picture p = {t.sizes().vector(), t.strides().vector(), {}};
    p.bytes.resize(static_cast<size_t>(t.numel()) * tn::api->dtype_size(t.dtype()));
    tn::check(tn::api->tensor_read(t.get(), p.bytes.data(), p.bytes.size()));
    all.push_back(std::move(p));
  }
  return all;
}

class Sweep {
 public:
  explicit Sweep(const Scenario& scenario) : scenario_(scenario) {
    for (int i = 0; i < 3; ++i) succeed();  // what is made once, and grows at first
  }

  // How many allocations a run makes.
  uint64_t all(const Source& source) {
    constexpr uint64_t kEnough = 20000;
    for (uint64_t nth = 1; nth < kEnough; ++nth) {
      SCOPED_TRACE(testing::Message() << "allocation " << nth << " of " << source.name);
      if (!one(source, nth, false)) return nth - 1;
      SCOPED_TRACE("and all after it");
      one(source, nth, true);
      if (testing::Test::HasFailure()) return nth;  // one is enough to look at
    }
    ADD_FAILURE() << "no end";
    return kEnough;
  }

 private:
  void succeed() {
    scenario_.reset();
    scenario_.check(scenario_.run());
  }

  // Whether the run came as far as the failure.
  bool one(const Source& source, uint64_t nth, bool from_then_on) {
    scenario_.reset();
    const std::vector<Picture> before = pictures(scenario_.unchanged);
    spare_.take();
    const Ledger ledger = Ledger::now();
    const int64_t used = spare_.bytes_in_use();
    tn_code code = TN_OK;
    bool met = false;
    {
      Results results;
      source.begin(nth, from_then_on);
      tn_status status = tn::guard([&] { results = scenario_.run(); });
      met = source.end(nth) || from_then_on;
      code = tn::api->status_code(status);
      EXPECT_TRUE(code == TN_OK || code == TN_OUT_OF_MEMORY)
          << tn::api->code_name(code) << ": " << tn::api->status_message(status);
      tn::api->status_release(status);
      if (code == TN_OK) scenario_.check(results);
    }
    if (met) {
      const Ledger after = Ledger::after(ledger);
      EXPECT_TRUE(after.same_as(ledger)) << "before: " << ledger << "\nafter: " << after;
      spare_.take();
      EXPECT_EQ(spare_.bytes_in_use(), used);
    }
    if (code != TN_OK) {
      EXPECT_EQ(pictures(scenario_.unchanged), before);
      scenario_.check_failed();
    }
    succeed();
    return met;
  }

  const Scenario& scenario_;
  SpareBlocks spare_;
};

}  // namespace

void spare_the_heap() {
  heap_is_spared = true;
}

void expect_clean_faults(const Scenario& scenario) {
  Sweep sweep(scenario);
  const uint64_t heap = heap_is_spared ? 0 : sweep.all(kHeap);
  const uint64_t core = testing::Test::HasFailure() ? 0 : sweep.all(kCore);
  EXPECT_GT(heap + core, 0u) << "nothing was allocated";
  testing::Test::RecordProperty("heap", static_cast<int>(heap));
  testing::Test::RecordProperty("core", static_cast<int>(core));
}

}  // namespace faults
