// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CSegments.h"
#include <fcntl.h>

void segments_begin_writeback(int descriptor, long long offset, long long count) {
#ifdef SYNC_FILE_RANGE_WRITE
    sync_file_range(descriptor, offset, count, SYNC_FILE_RANGE_WRITE);
#else
    (void)descriptor, (void)offset, (void)count;
#endif
}
