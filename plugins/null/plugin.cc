// plugin.cc - the smallest plugin there can be: one interface with one function.
//
// It needs nothing but the C headers and links nothing of Tenon. Read it from the bottom: the entry
// is what the core calls, the table is what the entry registers, the functions are what the table
// holds.
#include <tenon/host.h>

namespace {

// An interface is a table of functions that plugins and programs agree on by name and version. Like
// every table of the ABI it starts with its own size, so that later versions of it can append
// members. One that others are to use belongs in a header of its own.
struct null_interface {
  uint32_t size;
  uint32_t flags;
  const char* (*greeting)();  // lives as long as the process
};

// No exception may leave a function that the core or a program calls: declare such functions
// noexcept, or catch.
const char* greeting() noexcept {
  return "Nothing to do, and it is done well.";
}

constexpr null_interface kTable = {sizeof(null_interface), 0, greeting};

}  // namespace

// The only symbol that the library exports. It runs when something in the manifest is first needed,
// registers what the manifest promises and returns success, which is null. On any other answer the
// core takes back what was registered, keeps the message as the reason why this plugin cannot be
// used, and goes on without it.
extern "C" TN_API tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
  // The functions of the host table grow by appending, but a few structs are read directly, for
  // speed: tensors, values, frames, plans. The fingerprint says whether this libtenon lays them out
  // as the headers did that we were built with.
  if (host->layout_fingerprint != TN_LAYOUT_FINGERPRINT) {
    return host->status_make(
        TN_INCOMPATIBLE, nullptr, 0, __FILE__, __LINE__,
        "plugin %s was built against headers with other struct layouts than this libtenon's; "
        "rebuild it with the headers of libtenon %s",
        plugin->name, host->version());
  }
  return host->register_interface(plugin, "tenon.null", 1, &kTable);
}
