// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

// Counts calls on their way to the system's functions and the runtime's, for Scripts/budgets and the scripts of Benchmarks that count allocations.
// Loaded in front of both.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_long mallocs, others, tasks, immediate;

// The place of libdispatch. It keeps the parts of its queues for each thread, and takes new ones from malloc
// when its thread has used them up. How often it does so depends on which thread has taken which job. So
// these calls are no cost of a request.
static uintptr_t dispatch_start, dispatch_end;

static int look_at(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    if (!strstr(info->dlpi_name, "/libdispatch.so")) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X)) continue;
        dispatch_start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        dispatch_end = dispatch_start + info->dlpi_phdr[i].p_memsz;
    }
    return 1;
}

__attribute__((constructor)) static void find_dispatch(void) { dl_iterate_phdr(look_at, NULL); }

static void count(atomic_long *counter, void *caller) {
    uintptr_t address = (uintptr_t)caller;
    if (address < dispatch_start || address >= dispatch_end) atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

// Looking functions up allocates, before anything is known.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
    count(&mallocs, __builtin_return_address(0));
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count(&others, __builtin_return_address(0));
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    count(&others, __builtin_return_address(0));
    return __libc_realloc(old, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    count(&others, __builtin_return_address(0));
    *result = __libc_memalign(alignment, size);
    return *result ? 0 : ENOMEM;
}

// The runtime's functions may take and return values in any registers. So each counting function ends with a jump
// to the next function of its name.
#define COUNTED(name, counter)                                                                    \
    static void *next_##name;                                                                     \
    __attribute__((used)) static void *find_##name(void) {                                        \
        atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);                             \
        if (!next_##name) next_##name = dlsym(RTLD_NEXT, #name);                                  \
        return next_##name;                                                                       \
    }

COUNTED(swift_task_create, tasks)
COUNTED(swift_task_immediate, immediate)

#if defined(__x86_64__)
#define JUMP(name)                                                                                \
    __asm__(".globl " #name "\n.type " #name ", @function\n" #name ":\n"                          \
            "push %rdi\npush %rsi\npush %rdx\npush %rcx\npush %r8\npush %r9\npush %rax\n"         \
            "push %r13\npush %r14\npush %r15\npush %r10\n"                                        \
            "call find_" #name "\nmov %rax, %r11\n"                                               \
            "pop %r10\npop %r15\npop %r14\npop %r13\npop %rax\n"                                  \
            "pop %r9\npop %r8\npop %rcx\npop %rdx\npop %rsi\npop %rdi\njmp *%r11\n");
#elif defined(__aarch64__)
#define JUMP(name)                                                                                \
    __asm__(".globl " #name "\n.type " #name ", %function\n" #name ":\n"                          \
            "stp x29, x30, [sp, #-112]!\nstp x0, x1, [sp, #16]\nstp x2, x3, [sp, #32]\n"          \
            "stp x4, x5, [sp, #48]\nstp x6, x7, [sp, #64]\nstp x8, x20, [sp, #80]\n"              \
            "stp x21, x22, [sp, #96]\nbl find_" #name "\nmov x16, x0\n"                           \
            "ldp x0, x1, [sp, #16]\nldp x2, x3, [sp, #32]\nldp x4, x5, [sp, #48]\n"               \
            "ldp x6, x7, [sp, #64]\nldp x8, x20, [sp, #80]\nldp x21, x22, [sp, #96]\n"            \
            "ldp x29, x30, [sp], #112\nbr x16\n");
#endif

JUMP(swift_task_create)
JUMP(swift_task_immediate)

__attribute__((destructor)) static void report(void) {
    long started = atomic_load(&tasks), made = atomic_load(&mallocs);
    fprintf(stderr, "counted %ld %ld %ld\n", made + atomic_load(&others), started, started - atomic_load(&immediate));
    fprintf(stderr, "mallocs %ld\n", made);
}
