#include "core/library.h"

// With the standard library's paths and errors Boost.DLL needs no compiled part of Boost.
#define BOOST_DLL_USE_STD_FS
#include <boost/dll/shared_library.hpp>

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "core/concat.h"
#include "core/file_error.h"
#include "core/once.h"
#include "core/trust.h"

namespace tenon {
namespace {

constexpr const char* kEntry = "tn_plugin_entry";

class File {
 public:
  explicit File(const std::string& path)
      : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)),
        error_(descriptor_ < 0 ? errno : 0) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int descriptor() const { return descriptor_; }  // -1: not open

  // What has failed first, as an errno; 0 while nothing has. That the file ends is no failure.
  int error() const { return error_; }

  uint64_t size() {
    struct stat info;
    if (fstat(descriptor_, &info) == 0) return static_cast<uint64_t>(info.st_size);
    if (error_ == 0) error_ = errno;
    return 0;
  }

  bool read(void* target, size_t nbytes, uint64_t offset) {
    for (auto* next = static_cast<char*>(target); nbytes > 0;) {
      const ssize_t got = pread(descriptor_, next, nbytes, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) error_ = errno;
      if (got <= 0) return false;
      next += got;
      offset += static_cast<uint64_t>(got);
      nbytes -= static_cast<size_t>(got);
    }
    return true;
  }

 private:
  int descriptor_;
  int error_;
};

// The header of the library that this code is in, which the machine evidently can run.
const ElfW(Ehdr) * own_header() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&library_check), &info) == 0) return nullptr;
  return static_cast<const ElfW(Ehdr)*>(info.dli_fbase);
}

std::string last_error() {
  const char* text = dlerror();
  return text == nullptr ? "the dynamic loader gives no reason" : text;
}

// Handles of all libraries loaded: never destroyed, so never unmapped.
constinit Once<std::vector<boost::dll::shared_library>> mapped;

// What kept the dynamic loader from loading `path` just now, as an errno; 0 where it is the
// library. The loader gives no number, and without memory its text is a wrong one. So the text's
// end counts where it is an error's name, and otherwise whether the library can be opened and
// mapped now.
int passing_error(const std::string& path, const std::string& why) {
  for (const int error : kPassingErrors)
    if (why.ends_with(std::strerror(error))) return error;
  File file(path);
  if (error_passes(file.error())) return file.error();
  // Of a library that is known by its name alone there is no file.
  const bool open = file.error() == 0;
  const size_t size = std::max<size_t>(open ? file.size() : 0, 1 << 20);
  void* room = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | (open ? 0 : MAP_ANONYMOUS),
                    file.descriptor(), 0);
  if (room == MAP_FAILED) return error_passes(errno) ? errno : 0;
  munmap(room, size);
  return 0;
}

// Loads with every symbol resolved now, so that a missing one shows here and not in the middle of a
// call.
Problem open_library(const std::string& path, boost::dll::load_mode::type extra,
                     boost::dll::shared_library* out) {
  using boost::dll::load_mode::type;
  std::error_code error;
  const auto mode = static_cast<type>(boost::dll::load_mode::rtld_now |
                                      boost::dll::load_mode::rtld_local | extra);
  // Whatever fails is tried again, for memory may have come back.
  out->load(path, error, mode);
  if (error) out->load(path, error, mode);
  if (!error) return {};
  Problem problem(TN_IO_ERROR, last_error());
  if (const int passing = passing_error(path, problem.text)) {
    problem.code = passing == ENOMEM ? TN_OUT_OF_MEMORY : TN_IO_ERROR;
    problem.flags = TN_ERROR_RETRYABLE;
    problem.error = passing;
  }
  return problem;
}

}  // namespace

Problem library_check(const std::string& path) {
  File file(path);
  if (file.error() != 0) return system_problem(file.error(), path + ": cannot be opened");
  const uint64_t size = file.size();
  ElfW(Ehdr) header;
  const bool has_header = file.read(&header, sizeof header, 0);
  if (file.error() != 0) return system_problem(file.error(), path + ": cannot be read");
  if (!has_header || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return {TN_INVALID_ARGUMENT, path + ": no ELF file"};
  }
  const ElfW(Ehdr)* own = own_header();
  if (own == nullptr || header.e_ident[EI_CLASS] != own->e_ident[EI_CLASS] ||
      header.e_ident[EI_DATA] != own->e_ident[EI_DATA] || header.e_machine != own->e_machine) {
    return {TN_INCOMPATIBLE, concat({path, ": built for another kind of machine (ELF machine ",
                                     std::to_string(header.e_machine), ")"})};
  }
  if (header.e_type != ET_DYN) return {TN_INVALID_ARGUMENT, path + ": no shared library"};
  if (header.e_phentsize != sizeof(ElfW(Phdr))) {
    return {TN_INVALID_ARGUMENT, path + ": its program headers have an unknown size"};
  }
  bool loadable = false;
  for (uint32_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment;
    const uint64_t offset = header.e_phoff + uint64_t{i} * sizeof segment;
    const bool whole = header.e_phoff <= size && file.read(&segment, sizeof segment, offset);
    if (file.error() != 0) return system_problem(file.error(), path + ": cannot be read");
    // Compared so that no sum can wrap around.
    if (!whole || (segment.p_type == PT_LOAD &&
                   (segment.p_offset > size || segment.p_filesz > size - segment.p_offset))) {
      return {TN_IO_ERROR,
              concat({path, ": truncated, a loadable part lies beyond the file's end at ",
                      std::to_string(size), " bytes; install it again"})};
    }
    loadable |= segment.p_type == PT_LOAD;
  }
  if (!loadable) return {TN_INVALID_ARGUMENT, path + ": nothing in it can be loaded"};
  return {};
}

Problem library_load(const std::string& path, tn_plugin_entry_fn* entry) {
  boost::dll::shared_library library;
  if (Problem problem = open_library(path, boost::dll::load_mode::default_mode, &library)) {
    return problem;
  }
  if (!library.has(kEntry)) {
    return {TN_INCOMPATIBLE, concat({path, ": does not export ", kEntry,
                                     "; is it a Tenon plugin, and is the function extern \"C\"?"})};
  }
  *entry = &library.get<tn_status(const tn_host*, tn_plugin*)>(kEntry);
  mapped.get().push_back(std::move(library));
  return {};
}

Problem library_find(const std::string& name, const std::string& directory) {
  std::error_code error;
  const bool is_beside = name.find('/') == std::string::npos &&
                         std::filesystem::exists(std::filesystem::path(directory) / name, error);
  throw_if_out_of_memory(error);
  if (is_beside) return {};
  // The dynamic loader's search is its own secret (caches, hwcaps): only loading tells. The plugin
  // needs it anyway.
  boost::dll::shared_library library;
  if (Problem problem =
          open_library(name, boost::dll::load_mode::search_system_folders, &library)) {
    if (!problem.passes()) problem.code = TN_NOT_FOUND;
    problem.text =
        concat({"it needs the library ", name, ", which cannot be loaded: ", problem.text});
    return problem;
  }
  mapped.get().push_back(std::move(library));
  return {};
}

std::string library_other_core() {
  struct Search {
    struct stat own {};
    const char* other = "";
    int error = 0;
  } search;
  if (stat(own_path().c_str(), &search.own) != 0)
    throw_if_out_of_memory({errno, std::generic_category()});
  // No exception may pass through the C library's function: nothing here takes memory.
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto& search = *static_cast<Search*>(data);
        const std::string_view path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
        struct stat found;
        if (!path.substr(path.rfind('/') + 1).starts_with("libtenon.so")) return 0;
        if (stat(info->dlpi_name, &found) != 0) {
          search.error = errno;
          return 0;
        }
        if (found.st_dev == search.own.st_dev && found.st_ino == search.own.st_ino) return 0;
        search.other = info->dlpi_name;
        return 1;
      },
      &search);
  throw_if_out_of_memory({search.error, std::generic_category()});
  return search.other;
}

}  // namespace tenon
