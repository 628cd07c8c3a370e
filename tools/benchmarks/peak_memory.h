/* The most memory that the process has used since the program began. getrusage would count what its
 * parent had used before exec. */
#ifndef BENCH_PEAK_MEMORY_H
#define BENCH_PEAK_MEMORY_H

#include <stdio.h>

/* In bytes; 0 where the system does not tell. */
static inline double bench_peak_memory(void) {
  double kilobytes = 0;
  FILE* file = fopen("/proc/self/status", "r");
  if (file) {
    char line[256];
    while (fgets(line, sizeof line, file))
      if (sscanf(line, "VmHWM: %lf kB", &kilobytes) == 1) break;
    fclose(file);
  }
  return kilobytes * 1024;
}

#endif
