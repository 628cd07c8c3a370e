// A privileged process must not take orders from the environment of a user with fewer rights.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "sandbox.h"

namespace tenon_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Privileged : public ::testing::Test {
 protected:
  void SetUp() override {
    // Only root can make a program that runs as somebody else. It gets fewer rights here, which is
    // the same to the kernel.
    if (geteuid() != 0) GTEST_SKIP() << "needs root";
    box.search_config();
    box.write("user/tenon/tenon.toml", "threads = 2\n");
    box.write("etc/tenon/tenon.toml", "threads = 1\n");
    box.write("tenon.toml", "threads = 3\n");
    fs::copy_file(TENON_TEST_PRIVILEGED_PROBE, program());
    fs::permissions(box.path(""), fs::perms::others_all, fs::perm_options::add);
  }

  std::string program() const { return box.path("probe"); }

  Sandbox box;
};

TEST_F(Privileged, IgnoresVariablesAndTheFilesOfTheUser) {
  const std::string ordinary = box.last_of(program());
  EXPECT_THAT(ordinary, StartsWith("ok 0 1 "));  // TENON_PLUGIN_PATH
  EXPECT_THAT(ordinary,
              HasSubstr(box.path("etc/tenon/tenon.toml") + " " + box.path("user/tenon/tenon.toml") +
                        " " + box.path("tenon.toml")));
  ASSERT_EQ(chown(program().c_str(), 12345, 12345), 0);
  ASSERT_EQ(chmod(program().c_str(), 04755), 0);
  const std::string privileged = box.last_of(program());
  if (privileged.starts_with("ok 0")) GTEST_SKIP() << "no set-user-id programs in this file system";
  EXPECT_THAT(privileged, StartsWith("ok 1 0"));
  EXPECT_THAT(privileged, Not(HasSubstr(box.path(""))));
}

}  // namespace
}  // namespace tenon_test
