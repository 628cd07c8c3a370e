// What the libraries ask of a process (rule 26 of the hard cases).
#include <link.h>

#include "operators.h"

namespace {

struct Found {
  size_t core_tls = SIZE_MAX;  // bytes of libtenon's thread-local segment
  int plugins = 0;
  std::string with_tls;  // plugins that have a segment too
};

int look(dl_phdr_info* info, size_t, void* data) {
  auto& found = *static_cast<Found*>(data);
  const std::string path = info->dlpi_name;
  const bool core = path.find("/libtenon.so") != std::string::npos;
  const bool plugin = path.find("/tenon/plugins/") != std::string::npos;
  if (core) found.core_tls = 0;
  found.plugins += plugin;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (core && segment.p_type == PT_TLS) found.core_tls = segment.p_memsz;
    if (plugin && segment.p_type == PT_TLS) found.with_tls += path + " ";
  }
  return 0;
}

}  // namespace

TEST(Process, Rule26ThreadLocalStorageIsSmallAndNoneInPlugins) {
  tn::add(counting({2}), counting({2}));
  Found found;
  dl_iterate_phdr(look, &found);
  EXPECT_LE(found.core_tls, 64u);
  EXPECT_GE(found.plugins, 2) << "the operators' and the device's";
  EXPECT_EQ(found.with_tls, "");
}
