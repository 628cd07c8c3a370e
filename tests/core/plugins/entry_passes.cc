// Its entry fails twice for want of something that the process may have later, and then works.
#include <tenon/host.h>

#include <cerrno>
#include <system_error>

extern "C" TN_API tn_status tn_plugin_entry(const tn_host*, tn_plugin*);

tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
  static int attempt = 0;
  switch (++attempt) {
    case 1:
      return host->status_make(TN_IO_ERROR, "errno", EMFILE, __FILE__, __LINE__,
                               "cannot open /dev/test: Too many open files");
    case 2:
      throw std::system_error(EAGAIN, std::generic_category(), "cannot start a thread");
    default:
      static const int table = 42;
      return host->register_interface(plugin, "test.good", 1, &table);
  }
}
