// replacing_file.h - writes a file so that its path names either the old contents or all of the new
// ones.
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <string>

#include "descriptor.h"

namespace safetensors {

// Bytes go to a temporary file in the target's folder; commit() makes them the target in one step.
// Until then, and after any failure, the old file is as it was, and the destructor removes the
// temporary one. Where the target is a symbolic link, what it points to is replaced. A file that is
// replaced passes on its permissions.
//
// All members throw std::system_error, the constructor also `Failure` for a target that is no
// regular file.
class ReplacingFile {
 public:
  explicit ReplacingFile(const std::string& path);
  ~ReplacingFile();
  ReplacingFile(const ReplacingFile&) = delete;
  ReplacingFile& operator=(const ReplacingFile&) = delete;

  void write(const void* data, std::size_t size);
  // Waits until the disk has the data, renames, and waits until the disk has the new name.
  void commit();

 private:
  void create_temporary();

  std::string name_;       // of the target in folder_
  std::string temporary_;  // of the temporary file in folder_; empty when there is none
  bool replaces_ = false;  // there is an old file
  mode_t mode_ = 0666;     // of the new one; the umask applies unless there is an old one
  Descriptor folder_;
  Descriptor file_;
};

}  // namespace safetensors
