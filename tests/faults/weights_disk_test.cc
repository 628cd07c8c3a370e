// Weights files on bad disks, and programs that are killed while they write one.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "injector.h"
#include "ledger.h"
#include "weights.h"

namespace faults {
namespace {

// A file of the old contents, and what the new ones are.
class Disk : public Weights {
 protected:
  Disk() {
    save();
    fresh_ = contents();
    save(2);
    old_ = contents();
  }
  ~Disk() override { fault_shorten(0); }

  std::string old_, fresh_;
};

// Every call for a file fails, one after the other, with `error`.
struct Failure {
  int error;
  tn_code code;
};

TEST_F(Disk, that_fail_anywhere_leave_the_old_file_or_the_new_one_and_no_other) {
  for (const Failure failure :
       {Failure{EIO, TN_IO_ERROR}, Failure{ENOSPC, TN_IO_ERROR}, Failure{ENOMEM, TN_OUT_OF_MEMORY}})
    for (const bool from_then_on : {false, true}) {
      uint64_t nth = 0, calls = 0;
      do {
        SCOPED_TRACE(testing::Message()
                     << "call " << ++nth << " fails: " << strerror(failure.error));
        put(old_);
        const Ledger before = Ledger::now();
        fault_shorten(50);
        fault_plan(FAULT_FILES, nth, from_then_on, failure.error);
        tn_status status = save_status();
        calls = fault_end();
        fault_shorten(0);
        EXPECT_THAT(others(), testing::IsEmpty());
        if (!status) {  // but for closing, all matter
          EXPECT_EQ(contents(), fresh_);
        } else {
          EXPECT_EQ(tn::api->status_code(status), failure.code);
          EXPECT_STREQ(tn::api->status_domain(status), "errno");
          EXPECT_EQ(tn::api->status_native_code(status), failure.error);
          const bool replaced =
              std::string(tn::api->status_message(status)).find("in place") != std::string::npos;
          EXPECT_EQ(contents(), replaced ? fresh_ : old_);
        }
        tn::api->status_release(status);
        EXPECT_TRUE(Ledger::after(before).same_as(before));
        save();
        EXPECT_EQ(contents(), fresh_);
      } while (nth <= calls && !HasFailure());
      EXPECT_GT(nth, 10u);
    }
}

TEST_F(Disk, that_fail_while_a_file_is_opened_are_errors) {
  for (const bool from_then_on : {false, true}) {
    uint64_t nth = 0, calls = 0;
    do {
      SCOPED_TRACE(testing::Message() << "call " << ++nth);
      const Ledger before = Ledger::now();
      fault_plan(FAULT_FILES, nth, from_then_on, EIO);
      tn_status status = tn::guard([&] { load(); });
      calls = fault_end();
      EXPECT_TRUE(!status || tn::api->status_code(status) == TN_IO_ERROR);
      tn::api->status_release(status);
      EXPECT_TRUE(Ledger::after(before).same_as(before));
      EXPECT_THAT(numbers(load()[1]), ElementsAre(0, 4, 2, 6));
    } while (nth <= calls && !HasFailure());
    EXPECT_GT(nth, 3u);
  }
}

TEST_F(Disk, that_take_a_few_bytes_at_a_time_get_them_all) {
  for (const size_t most : {1, 7, 64}) {
    put(old_);
    fault_shorten(most);
    save();
    fault_shorten(0);
    EXPECT_EQ(contents(), fresh_);
  }
}

TEST_F(Disk, that_are_interrupted_by_signals_write_on) {
  fault_shorten(16);
  for (uint64_t nth = 1; nth <= 20; ++nth) {
    put(old_);
    fault_plan(FAULT_WRITE, nth, 0, EINTR);
    save();
    EXPECT_GE(fault_end(), nth);
    EXPECT_EQ(contents(), fresh_);
  }
}

TEST_F(Disk, in_programs_that_are_killed_hold_the_old_file_or_the_new_one) {
  fault_shorten(16);
  int kills = 0, replaced = 0;
  for (uint64_t nth = 1;; ++nth) {
    SCOPED_TRACE(testing::Message() << "killed before call " << nth);
    put(old_);
    const pid_t child = fork();
    if (child == 0) {
      fault_plan(FAULT_FILES, nth, 0, FAULT_KILL);
      _exit(save_status() ? 1 : 0);
    }
    int end = 0;
    ASSERT_EQ(waitpid(child, &end, 0), child);
    const std::string found = contents();
    EXPECT_TRUE(found == old_ || found == fresh_);
    replaced += found == fresh_;
    // A temporary file may stay, under a name that no later one gets.
    EXPECT_LE(others().size(), 1u);
    save();
    EXPECT_EQ(contents(), fresh_);
    for (const auto& file : others()) std::filesystem::remove(file);
    if (!WIFSIGNALED(end)) {
      EXPECT_EQ(end, 0);
      break;
    }
    EXPECT_EQ(WTERMSIG(end), SIGKILL);
    ++kills;
  }
  EXPECT_GT(kills, 20);
  EXPECT_GT(replaced, 1) << "some are killed after the file is in place";
}

TEST_F(Disk, hold_no_file_that_is_cut_off_and_still_read) {
  for (size_t length = 0; length < old_.size(); ++length) {
    SCOPED_TRACE(testing::Message() << length << " bytes");
    put(old_.substr(0, length));
    const Ledger before = Ledger::now();
    tn_status status = tn::guard([&] { load(); });
    EXPECT_EQ(tn::api->status_code(status), TN_INVALID_ARGUMENT);
    EXPECT_THAT(tn::api->status_message(status), testing::HasSubstr(path_.string()));
    tn::api->status_release(status);
    EXPECT_TRUE(Ledger::after(before).same_as(before));
  }
}

TEST_F(Disk, that_are_full_devices_are_refused) {
  path_ = "/dev/full";
  tn_status status = save_status();
  EXPECT_EQ(tn::api->status_code(status), TN_INVALID_ARGUMENT);
  tn::api->status_release(status);
  path_ = folder_ / "weights.safetensors";
}

// What docs/errors.md says of mapped files.
TEST_F(Disk, on_which_a_mapped_file_is_replaced_keep_its_bytes) {
  const Results loaded = load();
  save(3);
  EXPECT_THAT(numbers(loaded[1]), ElementsAre(0, 4, 2, 6));
  std::filesystem::remove(path_);
  EXPECT_THAT(numbers(loaded[1]), ElementsAre(0, 4, 2, 6));
}

}  // namespace
}  // namespace faults
