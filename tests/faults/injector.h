/* Makes calls of the C library and the kernel fail, to see what a program does without memory or
 * with a bad disk.
 *
 * libfaults.so takes the place of the C library's allocator and of a few functions for files. A
 * program links it before everything else, or is started with LD_PRELOAD: then every library of the
 * process calls it, those that dlopen loads with RTLD_LOCAL included (injector_test.cc proves it).
 * What the C library and the dynamic loader do inside themselves, such as their own mmap and open,
 * is not reached; their malloc is.
 *
 * One plan at a time, for all threads. C, so that Python's ctypes can say it too.
 */
#ifndef TENON_TESTS_FAULTS_INJECTOR_H
#define TENON_TESTS_FAULTS_INJECTOR_H

#include <stddef.h>
#include <stdint.h>

/* What may fail. */
#define FAULT_MEMORY 1u /* malloc and its kin, so also operator new; mmap of memory */
#define FAULT_MAP 2u    /* mmap of a file */
#define FAULT_OPEN 4u
#define FAULT_LOOK 8u /* fstat, fstatat, faccessat */
#define FAULT_READ 16u
#define FAULT_WRITE 32u
#define FAULT_SYNC 64u
#define FAULT_MODE 128u /* fchmod */
#define FAULT_RENAME 256u
#define FAULT_CLOSE 512u  /* the descriptor is closed all the same, as on Linux */
#define FAULT_FILES 1022u /* all but FAULT_MEMORY */

/* In place of an errno: the process is killed on the spot, before the call has done anything. */
#define FAULT_KILL (-1)

#ifdef __cplusplus
extern "C" {
#endif

/* From now on counts calls of `kinds`; the nth (1 = the next), and with `from_then_on` those after
 * it, fail with `error`. nth 0 only counts. */
void fault_plan(uint32_t kinds, uint64_t nth, int32_t from_then_on, int32_t error);
/* Ends the plan; returns how many calls it has counted. */
uint64_t fault_end(void);

/* Leaves calls alone that come from a library with this in its path. From the start: GCC's OpenMP
 * runtime, which ends the process where it finds no memory, when it is loaded and when it makes a
 * team of threads. What a library can do about that, it does before it asks for a team. Up to three
 * times; the text must live on. */
void fault_spare(const char* path);

/* Every write writes, every read reads at most so many bytes; 0 lifts the limit. */
void fault_shorten(size_t most);

/* Blocks of the heap that are in use. */
int64_t fault_heap_blocks(void);

#ifdef __cplusplus
}
#endif

#endif
