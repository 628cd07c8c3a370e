#include "replacing_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>

#include "failure.h"

namespace safetensors {
namespace {

// A fresh name each time. Short, so that a target whose own name is as long as names may be can
// still be written.
std::string temporary_name() {
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != sizeof random) throw_errno("draw a random name");
  char name[64];
  std::snprintf(name, sizeof name, ".tenon-%016llx.tmp", static_cast<unsigned long long>(random));
  return name;
}

}  // namespace

ReplacingFile::ReplacingFile(const std::string& path) {
  std::filesystem::path target(path);
  if (std::filesystem::is_symlink(std::filesystem::symlink_status(target))) {
    target = std::filesystem::canonical(target);
  }
  name_ = target.filename();
  if (name_.empty() || name_ == "." || name_ == "..") {
    throw Failure(TN_INVALID_ARGUMENT, "this names a folder, not a file");
  }
  const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";
  // Everything below is relative to this descriptor: the folder may be renamed while we write.
  folder_ = Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder_.is_open()) throw_errno("open the folder " + folder);

  struct stat old {};
  replaces_ = ::fstatat(folder_.get(), name_.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0;
  if (!replaces_ && errno != ENOENT) throw_errno("look at the old file");
  if (replaces_) {
    if (!S_ISREG(old.st_mode)) throw Failure(TN_INVALID_ARGUMENT, "this is no regular file");
    // A rename asks for no right to write the file that it replaces; whoever took that right away
    // means it.
    if (::faccessat(folder_.get(), name_.c_str(), W_OK, AT_EACCESS) != 0) {
      throw_errno("replace the old file");
    }
    mode_ = old.st_mode & 07777;
  }
  create_temporary();
}

void ReplacingFile::create_temporary() {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  do {
    temporary_ = temporary_name();
    file_ = Descriptor(::openat(folder_.get(), temporary_.c_str(), kFlags, mode_ & 0777));
  } while (!file_.is_open() && errno == EEXIST);
  if (!file_.is_open()) throw_errno("create a temporary file in the same folder");
}

ReplacingFile::~ReplacingFile() {
  if (!temporary_.empty()) ::unlinkat(folder_.get(), temporary_.c_str(), 0);
}

void ReplacingFile::write(const void* data, std::size_t size) {
  // The most that one call writes on Linux; a larger request is answered with this much anyway.
  constexpr std::size_t kMost = 0x7ffff000;
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(file_.get(), next, std::min(size, kMost));
    if (written < 0) {
      if (errno == EINTR) continue;
      throw_errno("write");
    }
    next += written;
    size -= static_cast<std::size_t>(written);
  }
}

void ReplacingFile::commit() {
  // What the process's umask has taken from the permissions comes back only for a file that had
  // them before.
  if (replaces_ && ::fchmod(file_.get(), mode_) != 0) {
    throw_errno("pass on the old file's permissions");
  }
  if (::fsync(file_.get()) != 0) throw_errno("sync");
  if (::renameat(folder_.get(), temporary_.c_str(), folder_.get(), name_.c_str()) != 0) {
    throw_errno("rename the temporary file");
  }
  temporary_.clear();
  // Some file systems cannot sync folders and say so with EINVAL; there is nothing more to do on
  // them.
  if (::fsync(folder_.get()) != 0 && errno != EINVAL) {
    throw_errno("sync the folder; the new file is in place, but may be lost if the machine fails");
  }
}

}  // namespace safetensors
