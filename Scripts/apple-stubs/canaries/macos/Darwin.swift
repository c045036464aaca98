// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Darwin

func refused() async {
    let status = stat()
    _ = status.st_mtim  // refused: no member 'st_mtim'
    let mode: UInt32 = status.st_mode  // refused: cannot convert value of type 'mode_t'
    _ = CLOCK_MONOTONIC_COARSE  // refused: cannot find 'CLOCK_MONOTONIC_COARSE'
    _ = MSG_NOSIGNAL  // refused: cannot find 'MSG_NOSIGNAL'
    _ = TCP_KEEPIDLE  // refused: cannot find 'TCP_KEEPIDLE'
    _ = SOCK_CLOEXEC  // refused: cannot find 'SOCK_CLOEXEC'
    _ = SOCK_STREAM.rawValue  // refused: no member 'rawValue'
    _ = RLIMIT_NOFILE.rawValue  // refused: no member 'rawValue'
    _ = fdatasync(0)  // refused: cannot find 'fdatasync'
    let thread: UInt = pthread_self()  // refused: cannot convert value of type 'pthread_t'
    let time: Int64 = clock_gettime_nsec_np(CLOCK_REALTIME)  // refused: cannot convert value of type 'UInt64'
    _ = fork()  // refused: unavailable
    open("file", O_RDONLY)  // refused: result of call to 'open' is unused
    _ = open("file", O_CREAT, Int32(0o600))  // refused: cannot convert value of type 'Int32'
    pthread_create(nil, nil, { _ in nil }, nil)  // refused: 'nil' is not compatible
}
