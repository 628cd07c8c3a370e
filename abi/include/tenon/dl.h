/* dl.h - loading libtenon at run time, for programs that must not link it.
 *
 *   const tn_host *tn = tn_dl_open(NULL, error, sizeof error);
 *   if (!tn) { puts(error); return 1; }
 *   tn->init(TN_ABI_MAJOR, TN_ABI_MINOR);
 *
 * Needs <dlfcn.h> and, with older C libraries, -ldl. The library stays loaded until the process ends.
 */
#ifndef TENON_DL_H
#define TENON_DL_H

#include <dlfcn.h>
#include <stdio.h>
#include <tenon/host.h>

/* The host table of the libtenon that is in the process already, or else of the one at `path`; null means
 * "libtenon.so.0" wherever the dynamic loader finds it. On failure returns null and writes the reason. */
static inline const tn_host *tn_dl_open(const char *path, char *error, size_t capacity) {
  const tn_host *(*get_host)(void) = NULL;
  void *library = dlopen(NULL, RTLD_NOW);
  void *symbol = library ? dlsym(library, "tn_get_host") : NULL;
  if (!symbol) {
    if (!path) path = "libtenon.so.0";
    library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    symbol = library ? dlsym(library, "tn_get_host") : NULL;
  }
  if (!symbol) {
    const char *reason = dlerror();
    snprintf(error, capacity, "%s", reason ? reason : "no tn_get_host in libtenon");
    return NULL;
  }
  /* ISO C has no conversion between object and function pointers; POSIX promises that this works. */
  *(void **)(&get_host) = symbol;
  const tn_host *host = get_host();
  if (host->abi_major != TN_ABI_MAJOR || (TN_ABI_MAJOR == 0 && host->abi_minor != TN_ABI_MINOR)) {
    snprintf(error, capacity, "this program was built for ABI %d.%d, libtenon has %u.%u; rebuild one of them",
             TN_ABI_MAJOR, TN_ABI_MINOR, host->abi_major, host->abi_minor);
    return NULL;
  }
  return host;
}

#endif
