// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// What the thread sanitizer does not see of Synchronization.Mutex in Swift 6.3 on Linux, for Scripts/sanitize alone.
//
// The short way of the lock is compiled into whoever uses it, where the sanitizer sees it. The long way, taken when somebody else has the lock, is in
// libswiftSynchronization, which is not instrumented. A program that is linked with this finds these functions before the library's; they call the library's
// and tell the sanitizer that the lock was taken or is given back.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

// The mangled names of _MutexHandle._lockSlow(_:), _unlockSlow() and _tryLockSlow().
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

typedef SWIFT void (*Lock)(uint32_t, SELF);
typedef SWIFT void (*Unlock)(SELF);
typedef SWIFT bool (*TryLock)(SELF);

SWIFT void hoard_lock(uint32_t owner, SELF) __asm__(LOCK);
SWIFT void hoard_unlock(SELF) __asm__(UNLOCK);
SWIFT bool hoard_try_lock(SELF) __asm__(TRY_LOCK);

SWIFT void hoard_lock(uint32_t owner, SELF) {
    ((Lock)dlsym(RTLD_NEXT, LOCK))(owner, self);
    __tsan_acquire(self);
}

SWIFT void hoard_unlock(SELF) {
    __tsan_release(self);
    ((Unlock)dlsym(RTLD_NEXT, UNLOCK))(self);
}

SWIFT bool hoard_try_lock(SELF) {
    bool is_taken = ((TryLock)dlsym(RTLD_NEXT, TRY_LOCK))(self);
    if (is_taken) __tsan_acquire(self);
    return is_taken;
}
