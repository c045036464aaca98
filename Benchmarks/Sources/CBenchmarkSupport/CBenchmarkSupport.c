// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#include "CBenchmarkSupport.h"

#if defined(__linux__)

#include <linux/membarrier.h>
#include <malloc.h>
#include <sys/syscall.h>
#include <unistd.h>

int hb_register_process_barrier(void) {
    return syscall(__NR_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void hb_process_barrier(void) {
    syscall(__NR_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

size_t hb_allocated_bytes(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 33))
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

#else

int hb_register_process_barrier(void) { return 0; }
void hb_process_barrier(void) {}

#if defined(__APPLE__)

#include <malloc/malloc.h>

size_t hb_allocated_bytes(void) {
    malloc_statistics_t statistics;
    malloc_zone_statistics(NULL, &statistics);
    return statistics.size_in_use;
}

#else

size_t hb_allocated_bytes(void) { return 0; }

#endif
#endif
