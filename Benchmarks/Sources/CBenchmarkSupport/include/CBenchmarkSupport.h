// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#ifndef C_BENCHMARK_SUPPORT_H
#define C_BENCHMARK_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

/// Tells the processor that this thread only waits for another one.
static inline void hb_spin_hint(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/// Keeps the compiler from moving memory accesses across this point. Costs no instruction.
static inline void hb_compiler_barrier(void) {
    __asm__ volatile("" ::: "memory");
}

/// Prepares hb_process_barrier. Returns 0 if this system has no such barrier.
int hb_register_process_barrier(void);

/// Makes every running thread of the process pass a full memory barrier before it returns.
void hb_process_barrier(void);

/// Bytes that the program has got from malloc and not given back, or 0 if this system cannot tell.
/// On Linux only what the main thread got is counted.
size_t hb_allocated_bytes(void);

#endif
