// Whatever fails, the old file stays and no temporary file does.
#include "replacing_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "failure.h"

namespace safetensors {
namespace {

namespace fs = std::filesystem;

// A folder of its own for each test.
class ReplacingFileTest : public testing::Test {
 protected:
  ReplacingFileTest() {
    std::string pattern = testing::TempDir() + "tenon_replacing_file_XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    target_ = folder_ / "target";
  }
  ~ReplacingFileTest() override { fs::remove_all(folder_); }

  static std::string contents(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void put(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static void replace(const fs::path& path, const std::string& text) {
    ReplacingFile file(path);
    file.write(text.data(), text.size());
    file.commit();
  }
  static int refused(const fs::path& path) {
    try {
      replace(path, "new");
    } catch (const std::system_error& error) {
      return error.code().value();
    }
    return 0;
  }

  fs::path folder_;
  fs::path target_;
};

TEST_F(ReplacingFileTest, MakesANewFile) {
  replace(target_, "new");
  EXPECT_EQ(contents(target_), "new");
  EXPECT_EQ(files(), 1u);
}

TEST_F(ReplacingFileTest, ReplacesAnOldOneOnlyAtCommit) {
  put(target_, "old");
  ReplacingFile file(target_);
  file.write("new", 3);
  EXPECT_EQ(contents(target_), "old");
  file.commit();
  EXPECT_EQ(contents(target_), "new");
  EXPECT_EQ(files(), 1u);
}

TEST_F(ReplacingFileTest, WithoutCommitNothingHasChanged) {
  put(target_, "old");
  {
    ReplacingFile file(target_);
    file.write("new", 3);
    EXPECT_EQ(files(), 2u);
  }
  EXPECT_EQ(contents(target_), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(ReplacingFileTest, AFullDiskLeavesTheOldFile) {
  put(target_, "old");
  // A limit on the size of files stands in for the full disk: the first write is cut short, the
  // next one fails.
  const auto previous = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const rlimit small{4096, old_limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  int error = 0;
  try {
    replace(target_, std::string(10000, 'x'));
  } catch (const std::system_error& failed) {
    error = failed.code().value();
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old_limit), 0);
  std::signal(SIGXFSZ, previous);
  EXPECT_EQ(error, EFBIG);
  EXPECT_EQ(contents(target_), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(ReplacingFileTest, AMissingFolderIsAnError) {
  EXPECT_EQ(refused(folder_ / "missing" / "target"), ENOENT);
}

TEST_F(ReplacingFileTest, AFileInPlaceOfTheFolderIsAnError) {
  put(target_, "old");
  EXPECT_EQ(refused(target_ / "inside"), ENOTDIR);
  EXPECT_EQ(contents(target_), "old");
}

TEST_F(ReplacingFileTest, ANameThatIsTooLongIsAnError) {
  EXPECT_EQ(refused(folder_ / std::string(256, 'n')), ENAMETOOLONG);
  EXPECT_EQ(files(), 0u);
}

TEST_F(ReplacingFileTest, TheLongestNameIsFine) {
  replace(folder_ / std::string(255, 'n'), "new");
  EXPECT_EQ(files(), 1u);
}

TEST_F(ReplacingFileTest, FoldersAndPipesAreNotReplaced) {
  fs::create_directory(target_);
  EXPECT_THROW(replace(target_, "new"), Failure);
  EXPECT_THROW(replace(target_ / "", "new"), Failure);
  EXPECT_THROW(replace("", "new"), Failure);
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(replace(folder_ / "pipe", "new"), Failure);
  EXPECT_EQ(files(), 2u);
}

TEST_F(ReplacingFileTest, AnUnwritableFileIsNotReplaced) {
  put(target_, "old");
  fs::permissions(target_, fs::perms::owner_read);
  fs::permissions(folder_, fs::perms::all);
  // Root may write every file, so it stops being root for the attempt.
  const bool is_root = ::geteuid() == 0;
  if (is_root) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const int error = refused(target_);
  if (is_root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  EXPECT_EQ(error, EACCES);
  EXPECT_EQ(contents(target_), "old");
}

TEST_F(ReplacingFileTest, PermissionsArePassedOn) {
  put(target_, "old");
  const auto wanted = fs::perms::owner_read | fs::perms::owner_write | fs::perms::others_write;
  fs::permissions(target_, wanted);
  replace(target_, "new");
  EXPECT_EQ(fs::status(target_).permissions(), wanted);
}

TEST_F(ReplacingFileTest, BehindASymbolicLinkTheFileIsReplaced) {
  const fs::path link = folder_ / "link";
  put(target_, "old");
  fs::create_symlink(target_, link);
  replace(link, "new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(contents(target_), "new");
}

TEST_F(ReplacingFileTest, ABareNameMeansTheWorkingFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  replace("target", "new");
  fs::current_path(before);
  EXPECT_EQ(contents(target_), "new");
}

}  // namespace
}  // namespace safetensors
