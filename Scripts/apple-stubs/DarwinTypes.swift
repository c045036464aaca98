// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// Scripts/apple-check: the types of Darwin that share their names with functions, and those that they are made of. Swift takes a type and a function of one name only
// from two modules; Darwin, which is C, has both. A structure of C has an initializer for each of its fields, and one that sets all to zero.

// sys/types.h: https://developer.apple.com/library/archive/documentation/System/Conceptual/ManPages_iPhoneOS/man2/stat.2.html
public typealias mode_t = UInt16
public typealias dev_t = Int32
public typealias nlink_t = UInt16
public typealias ino_t = UInt64
public typealias uid_t = UInt32
public typealias gid_t = UInt32
public typealias off_t = Int64
public typealias time_t = Int
public typealias blkcnt_t = Int64
public typealias blksize_t = Int32
public typealias pid_t = Int32

// clock_gettime(3)
public struct timespec: Sendable {
    public var tv_sec: time_t
    public var tv_nsec: Int
    public init() { fatalError() }
    public init(tv_sec: time_t, tv_nsec: Int) { fatalError() }
}

// stat(2), with 64-bit inodes
public struct stat: Sendable {
    public var st_dev: dev_t
    public var st_mode: mode_t
    public var st_nlink: nlink_t
    public var st_ino: ino_t
    public var st_uid: uid_t
    public var st_gid: gid_t
    public var st_rdev: dev_t
    public var st_atimespec: timespec
    public var st_mtimespec: timespec
    public var st_ctimespec: timespec
    public var st_birthtimespec: timespec
    public var st_size: off_t
    public var st_blocks: blkcnt_t
    public var st_blksize: blksize_t
    public var st_flags: UInt32
    public var st_gen: UInt32
    public init() { fatalError() }
}

// statvfs(3)
public struct statvfs: Sendable {
    public var f_bsize: UInt
    public var f_frsize: UInt
    public var f_blocks: UInt32
    public var f_bfree: UInt32
    public var f_bavail: UInt32
    public var f_files: UInt32
    public var f_ffree: UInt32
    public var f_favail: UInt32
    public var f_fsid: UInt
    public var f_flag: UInt
    public var f_namemax: UInt
    public init() { fatalError() }
}

// poll(2)
public struct pollfd: Sendable {
    public var fd: Int32
    public var events: Int16
    public var revents: Int16
    public init() { fatalError() }
    public init(fd: Int32, events: Int16, revents: Int16) { fatalError() }
}
