// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// Tells the thread sanitizer about the parts of Swift 6.3 on Linux that it cannot see. Scripts/sanitize links it
// into its builds; users never meet it.
//
// The libraries of Swift are built without the sanitizer. It knows most of their work all the same: they tell
// it themselves of tasks, groups and actors, the lock of AsyncStream is one of pthreads, and the first
// attempt to take or to release a Mutex is compiled into the calling code. Two things are missing, and each
// makes it report races that are none:
//
// - A thread that has to wait for a Mutex does so in libswiftSynchronization.so, and seems to go on without the lock.
// - A task that suspends in a continuation may find that another thread has resumed it already. It goes on at
//   once, and seems not to know the work of that thread.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// The thread that releases an address tells all it has done to those that acquire the address afterwards.
void __tsan_acquire(void *address);
void __tsan_release(void *address);

static void *find(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) {
        fprintf(stderr, "sanitizer-runtime: no function %s. This Swift is not 6.3; look into its sources how the lock has changed.\n", name);
        abort();
    }
    return function;
}

// MARK: - Mutex

// The linker prefers functions of the program to those of a library. Swift passes `self`, here the address of the
// lock's word, in a register of its own. The first attempt also acquires and releases this word.
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *word

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void hoard_lock(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool hoard_try_lock(SELF) __asm__(TRY_LOCK);
SWIFT void hoard_unlock(SELF) __asm__(UNLOCK);

static SWIFT void (*lock)(uint32_t thread, SELF);
static SWIFT bool (*try_lock)(SELF);
static SWIFT void (*unlock)(SELF);

SWIFT void hoard_lock(uint32_t thread, SELF) {
    lock(thread, word);
    __tsan_acquire(word);
}

SWIFT bool hoard_try_lock(SELF) {
    bool is_locked = try_lock(word);
    if (is_locked) __tsan_acquire(word);
    return is_locked;
}

SWIFT void hoard_unlock(SELF) {
    __tsan_release(word);
    unlock(word);
}

// MARK: - Continuations

void *swift_task_getCurrent(void);
static void (*enter)(void *context);

// The thread that resumes a task releases the task. Here the task is acquired, when it begins to suspend and finds in
// the end that it need not. This also happens whenever the task begins to run, where the runtime has done it before.
void swift_task_enterThreadLocalContext(void *context) {
    enter(context);
    void *task = swift_task_getCurrent();
    if (task) __tsan_acquire(task);
}

#if defined(__x86_64__)

// And when it finds so at once. No function of that name would be called instead of the library's, which calls its own; so the beginning of that
// one is replaced by a jump to `hoard_await`, which does the same and says which way to go on.
#define HIDDEN __attribute__((visibility("hidden")))
HIDDEN uintptr_t hoard_await_pending, hoard_await_resumed;
HIDDEN void hoard_await(void);

struct Continuation {
    void *parent, *resume;
    uint64_t flags;
    uint64_t status;
};
enum { resumed = 2 };

HIDDEN uint64_t hoard_await_status(struct Continuation *continuation) {
    uint64_t status = __atomic_load_n(&continuation->status, __ATOMIC_ACQUIRE);
    if (status == resumed) __tsan_acquire(swift_task_getCurrent());
    return status;
}

__asm__(
    ".text\n"
    ".globl hoard_await\n"
    ".hidden hoard_await\n"
    ".type hoard_await, @function\n"
    "hoard_await:\n"
    // The library's own beginning.
    "  pushq %rbp\n"
    "  movq %rsp, %rbp\n"
    "  pushq %r15\n"
    "  pushq %r12\n"
    "  pushq %rbx\n"
    "  subq $0x38, %rsp\n"
    "  movq %rdi, %r14\n"
    // It reads the status into r12.
    "  movq %rsp, %rbx\n"
    "  andq $-16, %rsp\n"
    "  callq hoard_await_status\n"
    "  movq %rbx, %rsp\n"
    "  movq %rax, %r12\n"
    "  cmpq $2, %r12\n"
    "  je 1f\n"
    "  jmpq *hoard_await_pending(%rip)\n"
    "1: jmpq *hoard_await_resumed(%rip)\n"
    ".size hoard_await, .-hoard_await\n");

static void replace_await(void) {
    static const uint8_t beginning[] = {
        0x55,                                // push rbp
        0x48, 0x89, 0xe5,                    // mov  rbp, rsp
        0x41, 0x57, 0x41, 0x54, 0x53,        // push r15; push r12; push rbx
        0x48, 0x83, 0xec, 0x38,              // sub  rsp, 0x38
        0x49, 0x89, 0xfe,                    // mov  r14, rdi
        0x4c, 0x8b, 0x67, 0x18,              // mov  r12, [rdi + 0x18]
        0x49, 0x83, 0xfc, 0x02, 0x0f, 0x84,  // cmp  r12, 2; je …
    };
    uint8_t *function = find("swift_continuation_await");
    if (memcmp(function, beginning, sizeof beginning) != 0) {
        fprintf(stderr, "sanitizer-runtime: swift_continuation_await is another one; tasks that are resumed at once may be reported.\n");
        return;
    }
    int32_t distance;
    memcpy(&distance, function + sizeof beginning, sizeof distance);
    hoard_await_pending = (uintptr_t)function + sizeof beginning + sizeof distance;
    hoard_await_resumed = hoard_await_pending + (intptr_t)distance;

    uint8_t jump[] = {0x49, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0, 0x41, 0xff, 0xe3};  // mov r11, …; jmp r11
    uintptr_t destination = (uintptr_t)hoard_await;
    memcpy(jump + 2, &destination, sizeof destination);
    uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = (uintptr_t)function & ~(size - 1);
    uintptr_t length = (uintptr_t)function + sizeof jump - start;
    if (mprotect((void *)start, length, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
        perror("sanitizer-runtime: mprotect");
        return;
    }
    memcpy(function, jump, sizeof jump);
    mprotect((void *)start, length, PROT_READ | PROT_EXEC);
}

#else

static void replace_await(void) {}

#endif

__attribute__((constructor)) static void begin(void) {
    lock = (SWIFT void (*)(uint32_t, SELF))find(LOCK);
    try_lock = (SWIFT bool (*)(SELF))find(TRY_LOCK);
    unlock = (SWIFT void (*)(SELF))find(UNLOCK);
    enter = (void (*)(void *))find("swift_task_enterThreadLocalContext");
    replace_await();
}
