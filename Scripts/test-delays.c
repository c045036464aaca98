// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// Delays threads of the tests at random. Scripts/delayed-tests loads it before the tests; users never meet it.
//
// Swift code retains and releases objects between nearly any two of its statements, and calls the runtime for it.
// So a delay there holds a thread up anywhere: with a lock and without, after a change and before other code
// hears of it. It is a longer delay than any scheduler would choose.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void *(*retain)(void *);
static void (*release)(void *);
static uint64_t seed, period, longest, count;
static _Thread_local uint64_t state;

static uint64_t number(const char *name) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : 0;
}

static void resolve(void) {
    retain = (void *(*)(void *))dlsym(RTLD_NEXT, "swift_retain");
    release = (void (*)(void *))dlsym(RTLD_NEXT, "swift_release");
}

__attribute__((constructor)) static void begin(void) {
    const char *end = strrchr(program_invocation_name, '.');
    // The process that starts the tests is left alone, and so are the processes that the tests start.
    if (!end || strcmp(end, ".xctest") != 0) return;
    unsetenv("LD_PRELOAD");
    seed = number("HOARD_DELAY_SEED");
    longest = number("HOARD_DELAY_MICROSECONDS") * 1000;
    period = longest ? number("HOARD_DELAY_PERIOD") : 0;
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("HOARD_DELAY_REPORT");
    FILE *file = period && path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%llu\n", (unsigned long long)__atomic_load_n(&count, __ATOMIC_RELAXED));
    fclose(file);
}

static void delay(void) {
    if (!period) return;
    if (!state) state = (seed + 1) * 0x9E3779B97F4A7C15u ^ (uint64_t)gettid() * 0xD1B54A32D192ED03u;
    // Xorshift: Marsaglia, "Xorshift RNGs", 2003.
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    if ((state >> 20) % period != 0) return;
    __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    int error = errno;
    uint64_t nanoseconds = (state >> 30) % longest;
    struct timespec time = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
    nanosleep(&time, NULL);
    errno = error;
}

void *swift_retain(void *object) {
    if (!retain) resolve();
    delay();
    return retain(object);
}

void swift_release(void *object) {
    if (!release) resolve();
    delay();
    release(object);
}
