// Its entry throws what is no std::exception.
#include <tenon/host.h>

extern "C" TN_API tn_status tn_plugin_entry(const tn_host*, tn_plugin*);

tn_status tn_plugin_entry(const tn_host*, tn_plugin*) {
  throw 7;
}
