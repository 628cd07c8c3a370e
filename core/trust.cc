#include "core/trust.h"
#include "core/concat.h"
#include "core/file_error.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace tenon {
namespace {

// Whoever can replace the core needs no plugin to get code into the process.
uid_t owner_of_core() {
  struct stat info;
  if (stat(own_path().c_str(), &info) == 0) return info.st_uid;
  throw_if_out_of_memory({errno, std::generic_category()});
  return 0;
}

}  // namespace

Problem check_trust(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    const int error = errno;
    Problem problem = system_problem(error, path);
    if (error == ENOENT) problem.code = TN_NOT_FOUND;
    return problem;
  }
  const bool folder = S_ISDIR(info.st_mode);
  if (!folder && !S_ISREG(info.st_mode)) {
    return {TN_INVALID_ARGUMENT, path + ": neither a regular file nor a folder"};
  }
  if (info.st_uid != 0 && info.st_uid != geteuid() && info.st_uid != owner_of_core()) {
    return {
        TN_INVALID_ARGUMENT,
        concat({path, ": refused, it belongs to user ", std::to_string(info.st_uid),
                ", who is neither root nor the user of this process; chown it to one of them"})};
  }
  if ((info.st_mode & S_IWOTH) != 0 && !(folder && (info.st_mode & S_ISVTX) != 0)) {
    char mode[8];
    std::snprintf(mode, sizeof mode, "%04o", info.st_mode & 07777u);
    return {TN_INVALID_ARGUMENT, concat({path, ": refused, everyone may write it (mode ", mode,
                                         "); run chmod o-w ", path})};
  }
  return {};
}

std::string own_path() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&own_path), &info) == 0 || info.dli_fname == nullptr)
    return "";
  std::error_code error;
  // A program that has the core linked in may be named by a bare word; then the link in /proc knows
  // better.
  auto path = std::filesystem::canonical(info.dli_fname, error);
  throw_if_out_of_memory(error);
  if (error) path = std::filesystem::canonical("/proc/self/exe", error);
  throw_if_out_of_memory(error);
  return error ? "" : path.string();
}

}  // namespace tenon
