// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#ifndef C_SEGMENTS_H
#define C_SEGMENTS_H

/// Begins to write a part of a file to the device, and does not wait for the end. Does nothing where the system has no such call.
void segments_begin_writeback(int descriptor, long long offset, long long count);

#endif
