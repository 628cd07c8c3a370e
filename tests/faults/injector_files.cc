// Functions for files that Tenon calls. Each is its system call, unless the plan says that it
// fails.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>

#include "injector.h"
#include "injector_plan.h"

using faults::fails;
using faults::shortened;

// What follows the flags of a file that may be made.
static mode_t mode_of(int flags, va_list rest) {
  return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

extern "C" {

int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  if (fails(FAULT_OPEN)) return -1;
  return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}
int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return openat(AT_FDCWD, path, flags, mode);
}

int fstat(int file, struct stat* out) {
  return fails(FAULT_LOOK) ? -1 : static_cast<int>(syscall(SYS_fstat, file, out));
}
int fstatat(int folder, const char* path, struct stat* out, int flags) {
  if (fails(FAULT_LOOK)) return -1;
  return static_cast<int>(syscall(SYS_newfstatat, folder, path, out, flags));
}
int faccessat(int folder, const char* path, int mode, int flags) {
  if (fails(FAULT_LOOK)) return -1;
  // The system call that takes flags is a young one.
  using Function = int (*)(int, const char*, int, int);
  static const auto next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "faccessat"));
  return next(folder, path, mode, flags);
}

ssize_t read(int file, void* data, size_t size) {
  return fails(FAULT_READ) ? -1 : syscall(SYS_read, file, data, shortened(size));
}
ssize_t pread(int file, void* data, size_t size, off_t offset) {
  return fails(FAULT_READ) ? -1 : syscall(SYS_pread64, file, data, shortened(size), offset);
}
ssize_t write(int file, const void* data, size_t size) {
  return fails(FAULT_WRITE) ? -1 : syscall(SYS_write, file, data, shortened(size));
}

int fsync(int file) {
  return fails(FAULT_SYNC) ? -1 : static_cast<int>(syscall(SYS_fsync, file));
}
int fchmod(int file, mode_t mode) {
  return fails(FAULT_MODE) ? -1 : static_cast<int>(syscall(SYS_fchmod, file, mode));
}
int renameat(int old_folder, const char* old_path, int folder, const char* path) {
  if (fails(FAULT_RENAME)) return -1;
  return static_cast<int>(syscall(SYS_renameat, old_folder, old_path, folder, path));
}
int close(int file) {
  const bool failed = fails(FAULT_CLOSE);
  const int result = static_cast<int>(syscall(SYS_close, file));
  return failed ? -1 : result;
}
}
