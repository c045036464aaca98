// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// Scripts/apple-check: the part of Darwin that Hoard uses, as Swift imports it from the headers of the macOS and
// iOS SDKs. Every group names its man page. Hoard cannot use a function that is not here.
//
// A function of C may be called without using its result. The headers of C say nothing of null, so pointers are implicitly unwrapped. Functions with a variable number of
// arguments come from Swift's overlay, which has one function for each kind of call: https://github.com/swiftlang/swift/tree/main/stdlib/public/Platform

@_exported public import DarwinTypes

// socket(2), connect(2), bind(2), send(2), recv(2), shutdown(2), getsockname(2), setsockopt(2). The two structures that SwiftNIO's functions take and lend are those of
// Linux, as are its modules here.
@_exported public import struct Glibc.linger
@_exported public import struct Glibc.sockaddr

// intro(2): errno and its values
public var errno: Int32 {
    get { fatalError() }
    set { fatalError() }
}
public var EPERM: Int32 { 1 }
public var ENOENT: Int32 { 2 }
public var EINTR: Int32 { 4 }
public var EIO: Int32 { 5 }
public var ENXIO: Int32 { 6 }
public var ENOMEM: Int32 { 12 }
public var EACCES: Int32 { 13 }
public var EEXIST: Int32 { 17 }
public var ENOTDIR: Int32 { 20 }
public var EINVAL: Int32 { 22 }
public var ENFILE: Int32 { 23 }
public var EMFILE: Int32 { 24 }
public var EFBIG: Int32 { 27 }
public var ENOSPC: Int32 { 28 }
public var EROFS: Int32 { 30 }
public var EPIPE: Int32 { 32 }
public var EAGAIN: Int32 { 35 }
public var EWOULDBLOCK: Int32 { 35 }
public var ENOTSUP: Int32 { 45 }
public var EADDRINUSE: Int32 { 48 }
public var EADDRNOTAVAIL: Int32 { 49 }
public var ENETDOWN: Int32 { 50 }
public var ENETUNREACH: Int32 { 51 }
public var ECONNRESET: Int32 { 54 }
public var ENOBUFS: Int32 { 55 }
public var ENOTCONN: Int32 { 57 }
public var ETIMEDOUT: Int32 { 60 }
public var ECONNREFUSED: Int32 { 61 }
public var ELOOP: Int32 { 62 }
public var EHOSTDOWN: Int32 { 64 }
public var EHOSTUNREACH: Int32 { 65 }
public var EDQUOT: Int32 { 69 }

// strerror(3)
@discardableResult public func strerror(_ errnum: Int32) -> UnsafeMutablePointer<CChar>! { fatalError() }

// open(2): its flags, and Swift's overlay for the two ways to call it
public var O_RDONLY: Int32 { 0x0000 }
public var O_WRONLY: Int32 { 0x0001 }
public var O_RDWR: Int32 { 0x0002 }
public var O_NONBLOCK: Int32 { 0x0004 }
public var O_APPEND: Int32 { 0x0008 }
public var O_NOFOLLOW: Int32 { 0x0100 }
public var O_CREAT: Int32 { 0x0200 }
public var O_TRUNC: Int32 { 0x0400 }
public var O_EXCL: Int32 { 0x0800 }
public var O_NOCTTY: Int32 { 0x20000 }
public var O_DIRECTORY: Int32 { 0x100000 }
public var O_CLOEXEC: Int32 { 0x1000000 }
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { fatalError() }
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 { fatalError() }
public func openat(_ fd: Int32, _ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { fatalError() }
public func openat(_ fd: Int32, _ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 { fatalError() }

// close(2), fsync(2)
@discardableResult public func close(_ fd: Int32) -> Int32 { fatalError() }
@discardableResult public func fsync(_ fd: Int32) -> Int32 { fatalError() }

// fcntl(2): Swift's overlay for the three ways to call it
public var F_GETFD: Int32 { 1 }
public var F_SETFD: Int32 { 2 }
public var F_DUPFD_CLOEXEC: Int32 { 67 }
public var FD_CLOEXEC: Int32 { 1 }
public var F_FULLFSYNC: Int32 { 51 }
public func fcntl(_ fd: Int32, _ cmd: Int32) -> Int32 { fatalError() }
public func fcntl(_ fd: Int32, _ cmd: Int32, _ value: Int32) -> Int32 { fatalError() }
public func fcntl(_ fd: Int32, _ cmd: Int32, _ ptr: UnsafeMutableRawPointer) -> Int32 { fatalError() }

// read(2), write(2)
public struct iovec {
    public var iov_base: UnsafeMutableRawPointer!
    public var iov_len: Int
    public init() { fatalError() }
    public init(iov_base: UnsafeMutableRawPointer!, iov_len: Int) { fatalError() }
}
@discardableResult public func read(_ fd: Int32, _ buffer: UnsafeMutableRawPointer!, _ count: Int) -> Int { fatalError() }
@discardableResult public func pread(_ fd: Int32, _ buffer: UnsafeMutableRawPointer!, _ count: Int, _ offset: off_t) -> Int { fatalError() }
@discardableResult public func readv(_ fd: Int32, _ vectors: UnsafePointer<iovec>!, _ count: Int32) -> Int { fatalError() }
@discardableResult public func write(_ fd: Int32, _ buffer: UnsafeRawPointer!, _ count: Int) -> Int { fatalError() }
@discardableResult public func pwrite(_ fd: Int32, _ buffer: UnsafeRawPointer!, _ count: Int, _ offset: off_t) -> Int { fatalError() }
@discardableResult public func writev(_ fd: Int32, _ vectors: UnsafePointer<iovec>!, _ count: Int32) -> Int { fatalError() }

// stat(2): the kinds of files are of the type mode_t in Swift's overlay
public var S_IFMT: mode_t { 0o170000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFLNK: mode_t { 0o120000 }
public var S_IFSOCK: mode_t { 0o140000 }
public var AT_SYMLINK_NOFOLLOW: Int32 { 0x0020 }
@discardableResult public func stat(_ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<stat>!) -> Int32 { fatalError() }
@discardableResult public func lstat(_ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<stat>!) -> Int32 { fatalError() }
@discardableResult public func fstat(_ fd: Int32, _ status: UnsafeMutablePointer<stat>!) -> Int32 { fatalError() }
@discardableResult public func fstatat(_ fd: Int32, _ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<stat>!, _ flag: Int32) -> Int32 {
    fatalError()
}

// chmod(2), mkdir(2), rename(2), unlink(2), access(2)
@discardableResult public func chmod(_ path: UnsafePointer<CChar>!, _ mode: mode_t) -> Int32 { fatalError() }
@discardableResult public func fchmod(_ fd: Int32, _ mode: mode_t) -> Int32 { fatalError() }
@discardableResult public func mkdir(_ path: UnsafePointer<CChar>!, _ mode: mode_t) -> Int32 { fatalError() }
@discardableResult public func rename(_ old: UnsafePointer<CChar>!, _ new: UnsafePointer<CChar>!) -> Int32 { fatalError() }
@discardableResult public func renameat(_ oldFD: Int32, _ old: UnsafePointer<CChar>!, _ newFD: Int32, _ new: UnsafePointer<CChar>!) -> Int32 {
    fatalError()
}
@discardableResult public func unlink(_ path: UnsafePointer<CChar>!) -> Int32 { fatalError() }
@discardableResult public func unlinkat(_ fd: Int32, _ path: UnsafePointer<CChar>!, _ flag: Int32) -> Int32 { fatalError() }

// flock(2)
public var LOCK_EX: Int32 { 2 }
public var LOCK_NB: Int32 { 4 }
public var LOCK_UN: Int32 { 8 }
@discardableResult public func flock(_ fd: Int32, _ operation: Int32) -> Int32 { fatalError() }

// directory(3), dir(5)
public struct DIR {}
public struct dirent {
    public var d_ino: UInt64
    public var d_seekoff: UInt64
    public var d_reclen: UInt16
    public var d_namlen: UInt16
    public var d_type: UInt8
    /// Has 1,024 elements.
    public var d_name: (CChar, CChar, CChar, CChar)
    public init() { fatalError() }
}
@discardableResult public func opendir(_ path: UnsafePointer<CChar>!) -> UnsafeMutablePointer<DIR>! { fatalError() }
@discardableResult public func readdir(_ stream: UnsafeMutablePointer<DIR>!) -> UnsafeMutablePointer<dirent>! { fatalError() }
@discardableResult public func closedir(_ stream: UnsafeMutablePointer<DIR>!) -> Int32 { fatalError() }

// usleep(3)
@discardableResult public func usleep(_ microseconds: UInt32) -> Int32 { fatalError() }

// clock_gettime(3)
public struct clockid_t: Equatable, RawRepresentable, Sendable {
    public var rawValue: UInt32
    public init(_ rawValue: UInt32) { fatalError() }
    public init(rawValue: UInt32) { fatalError() }
}
public var CLOCK_REALTIME: clockid_t { clockid_t(0) }
public var CLOCK_MONOTONIC: clockid_t { clockid_t(6) }
public var CLOCK_MONOTONIC_RAW: clockid_t { clockid_t(4) }
public var CLOCK_MONOTONIC_RAW_APPROX: clockid_t { clockid_t(5) }
@discardableResult public func clock_gettime(_ clock: clockid_t, _ time: UnsafeMutablePointer<timespec>!) -> Int32 { fatalError() }
@discardableResult public func clock_gettime_nsec_np(_ clock: clockid_t) -> UInt64 { fatalError() }

// log(3), cos(3), pow(3): Swift's overlay
public func log(_ x: Double) -> Double { fatalError() }
public func cos(_ x: Double) -> Double { fatalError() }
public func log10(_ x: Double) -> Double { fatalError() }
public func log2(_ x: Double) -> Double { fatalError() }
public func exp(_ x: Double) -> Double { fatalError() }
public func exp2(_ x: Double) -> Double { fatalError() }
public func pow(_ x: Double, _ y: Double) -> Double { fatalError() }

// memcmp(3), memchr(3), malloc(3), strdup(3)
@discardableResult public func memcmp(_ first: UnsafeRawPointer!, _ second: UnsafeRawPointer!, _ count: Int) -> Int32 { fatalError() }
@discardableResult public func memchr(_ bytes: UnsafeRawPointer!, _ byte: Int32, _ count: Int) -> UnsafeMutableRawPointer! { fatalError() }
@discardableResult public func malloc(_ size: Int) -> UnsafeMutableRawPointer! { fatalError() }
@discardableResult public func realloc(_ memory: UnsafeMutableRawPointer!, _ size: Int) -> UnsafeMutableRawPointer! { fatalError() }
public func free(_ memory: UnsafeMutableRawPointer!) { fatalError() }
@discardableResult public func strdup(_ text: UnsafePointer<CChar>!) -> UnsafeMutablePointer<CChar>! { fatalError() }

// dyld(3): https://developer.apple.com/library/archive/documentation/System/Conceptual/ManPages_iPhoneOS/man3/dyld.3.html
@discardableResult public func _NSGetExecutablePath(_ path: UnsafeMutablePointer<CChar>!, _ size: UnsafeMutablePointer<UInt32>!) -> Int32 {
    fatalError()
}

// access(2), statvfs(3), truncate(2), utimensat(2), realpath(3)
public var F_OK: Int32 { 0 }
public var X_OK: Int32 { 1 }
public var W_OK: Int32 { 2 }
public var R_OK: Int32 { 4 }
public var AT_FDCWD: Int32 { -2 }
public var PATH_MAX: Int32 { 1024 }
@discardableResult public func access(_ path: UnsafePointer<CChar>!, _ mode: Int32) -> Int32 { fatalError() }
@discardableResult public func statvfs(_ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<statvfs>!) -> Int32 { fatalError() }
@discardableResult public func ftruncate(_ fd: Int32, _ length: off_t) -> Int32 { fatalError() }
@discardableResult public func utimensat(_ fd: Int32, _ path: UnsafePointer<CChar>!, _ times: UnsafePointer<timespec>!, _ flag: Int32) -> Int32 {
    fatalError()
}
@discardableResult public func realpath(_ path: UnsafePointer<CChar>!, _ resolved: UnsafeMutablePointer<CChar>!) -> UnsafeMutablePointer<CChar>! {
    fatalError()
}

// sys/termios.h: termios(4), tcsetattr(3)
public typealias tcflag_t = UInt
public typealias speed_t = UInt
public struct termios: Sendable {
    public var c_iflag: tcflag_t
    public var c_oflag: tcflag_t
    public var c_cflag: tcflag_t
    public var c_lflag: tcflag_t
    public var c_ispeed: speed_t
    public var c_ospeed: speed_t
    public init() { fatalError() }
}
public var ECHO: Int32 { 0x8 }
public var TCSANOW: Int32 { 0 }
public var TCSAFLUSH: Int32 { 2 }
@discardableResult public func tcgetattr(_ fd: Int32, _ attributes: UnsafeMutablePointer<termios>!) -> Int32 { fatalError() }
@discardableResult public func tcsetattr(_ fd: Int32, _ actions: Int32, _ attributes: UnsafePointer<termios>!) -> Int32 { fatalError() }

// unistd.h: intro(2), isatty(3), getpid(2), sysconf(3)
public var STDIN_FILENO: Int32 { 0 }
public var STDOUT_FILENO: Int32 { 1 }
public var STDERR_FILENO: Int32 { 2 }
public var _SC_PAGESIZE: Int32 { 29 }
public var _SC_NPROCESSORS_ONLN: Int32 { 58 }
@discardableResult public func isatty(_ fd: Int32) -> Int32 { fatalError() }
@discardableResult public func getpid() -> pid_t { fatalError() }
@discardableResult public func geteuid() -> uid_t { fatalError() }
@discardableResult public func sysconf(_ name: Int32) -> Int { fatalError() }
@discardableResult public func pipe(_ ends: UnsafeMutablePointer<Int32>!) -> Int32 { fatalError() }

// poll(2)
public var POLLIN: Int32 { 0x0001 }
public var POLLOUT: Int32 { 0x0004 }
@discardableResult public func poll(_ descriptors: UnsafeMutablePointer<pollfd>!, _ count: UInt32, _ timeout: Int32) -> Int32 { fatalError() }

// getrlimit(2)
public typealias rlim_t = UInt64
public struct rlimit: Sendable {
    public var rlim_cur: rlim_t
    public var rlim_max: rlim_t
    public init() { fatalError() }
    public init(rlim_cur: rlim_t, rlim_max: rlim_t) { fatalError() }
}
public var RLIMIT_NOFILE: Int32 { 8 }
@discardableResult public func getrlimit(_ resource: Int32, _ limit: UnsafeMutablePointer<rlimit>!) -> Int32 { fatalError() }
@discardableResult public func setrlimit(_ resource: Int32, _ limit: UnsafePointer<rlimit>!) -> Int32 { fatalError() }

// pthread(3), whose header says which pointers may be null
public struct _opaque_pthread_t {}
public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>
public struct pthread_attr_t {}
public typealias pthread_key_t = UInt
@discardableResult public func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t?>,
    _ attributes: UnsafePointer<pthread_attr_t>?,
    _ start: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 { fatalError() }
@discardableResult public func pthread_detach(_ thread: pthread_t) -> Int32 { fatalError() }
public func pthread_self() -> pthread_t { fatalError() }
@discardableResult public func pthread_key_create(
    _ key: UnsafeMutablePointer<pthread_key_t>,
    _ destructor: (@convention(c) (UnsafeMutableRawPointer) -> Void)?
) -> Int32 { fatalError() }
@discardableResult public func pthread_getspecific(_ key: pthread_key_t) -> UnsafeMutableRawPointer? { fatalError() }
@discardableResult public func pthread_setspecific(_ key: pthread_key_t, _ value: UnsafeRawPointer?) -> Int32 { fatalError() }

// mmap(2)
public var PROT_READ: Int32 { 1 }
public var PROT_WRITE: Int32 { 2 }
public var MAP_SHARED: Int32 { 1 }
public var MAP_FAILED: UnsafeMutableRawPointer! { fatalError() }
@discardableResult public func mmap(
    _ address: UnsafeMutableRawPointer!,
    _ length: Int,
    _ protection: Int32,
    _ flags: Int32,
    _ fd: Int32,
    _ offset: off_t
) -> UnsafeMutableRawPointer! { fatalError() }
@discardableResult public func munmap(_ address: UnsafeMutableRawPointer!, _ length: Int) -> Int32 { fatalError() }

// kill(2), raise(3), signal(3), wait(2)
public var SIGHUP: Int32 { 1 }
public var SIGINT: Int32 { 2 }
public var SIGQUIT: Int32 { 3 }
public var SIGKILL: Int32 { 9 }
public var SIGPIPE: Int32 { 13 }
public var SIGTERM: Int32 { 15 }
public var SIGSTOP: Int32 { 17 }
public var SIGCONT: Int32 { 19 }
public typealias sig_t = @convention(c) (Int32) -> Void
public var SIG_DFL: sig_t? { nil }
public var SIG_IGN: sig_t { fatalError() }
@discardableResult public func signal(_ number: Int32, _ action: sig_t!) -> sig_t! { fatalError() }
@discardableResult public func kill(_ process: pid_t, _ signal: Int32) -> Int32 { fatalError() }
@discardableResult public func raise(_ signal: Int32) -> Int32 { fatalError() }
@discardableResult public func strsignal(_ number: Int32) -> UnsafeMutablePointer<CChar>! { fatalError() }
public typealias sigset_t = UInt32
@discardableResult public func sigemptyset(_ set: UnsafeMutablePointer<sigset_t>!) -> Int32 { fatalError() }
public typealias id_t = UInt32
public struct idtype_t: Equatable, RawRepresentable, Sendable {
    public var rawValue: UInt32
    public init(_ rawValue: UInt32) { fatalError() }
    public init(rawValue: UInt32) { fatalError() }
}
public var P_PID: idtype_t { idtype_t(1) }
public struct siginfo_t {
    public var si_signo: Int32
    public var si_errno: Int32
    public var si_code: Int32
    public var si_pid: pid_t
    public var si_uid: uid_t
    public var si_status: Int32
    public init() { fatalError() }
}
public var WNOHANG: Int32 { 0x01 }
public var WEXITED: Int32 { 0x04 }
public var WNOWAIT: Int32 { 0x20 }
@discardableResult public func waitpid(_ process: pid_t, _ status: UnsafeMutablePointer<Int32>!, _ options: Int32) -> pid_t { fatalError() }
@discardableResult public func waitid(_ type: idtype_t, _ id: id_t, _ information: UnsafeMutablePointer<siginfo_t>!, _ options: Int32) -> Int32 {
    fatalError()
}

// posix_spawn(2), execve(2), environ(7); Swift's overlay has environ, and forbids fork
public typealias posix_spawn_file_actions_t = UnsafeMutableRawPointer
public typealias posix_spawnattr_t = UnsafeMutableRawPointer
public var POSIX_SPAWN_SETSIGMASK: Int32 { 0x0008 }
public var POSIX_SPAWN_CLOEXEC_DEFAULT: Int32 { 0x4000 }
public var environ: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> { fatalError() }
@available(*, unavailable, message: "Please use threads or posix_spawn*()")
public func fork() -> Int32 { fatalError() }
@discardableResult public func posix_spawn(
    _ process: UnsafeMutablePointer<pid_t>!,
    _ path: UnsafePointer<CChar>!,
    _ actions: UnsafePointer<posix_spawn_file_actions_t?>!,
    _ attributes: UnsafePointer<posix_spawnattr_t?>!,
    _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>!,
    _ environment: UnsafePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 { fatalError() }
@discardableResult public func posix_spawnp(
    _ process: UnsafeMutablePointer<pid_t>!,
    _ file: UnsafePointer<CChar>!,
    _ actions: UnsafePointer<posix_spawn_file_actions_t?>!,
    _ attributes: UnsafePointer<posix_spawnattr_t?>!,
    _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>!,
    _ environment: UnsafePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 { fatalError() }
@discardableResult public func posix_spawn_file_actions_init(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>!) -> Int32 { fatalError() }
@discardableResult public func posix_spawn_file_actions_destroy(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>!) -> Int32 {
    fatalError()
}
@discardableResult public func posix_spawn_file_actions_adddup2(
    _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>!,
    _ fd: Int32,
    _ newFD: Int32
) -> Int32 { fatalError() }
@discardableResult public func posix_spawn_file_actions_addinherit_np(
    _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>!,
    _ fd: Int32
) -> Int32 { fatalError() }
@discardableResult public func posix_spawnattr_init(_ attributes: UnsafeMutablePointer<posix_spawnattr_t?>!) -> Int32 { fatalError() }
@discardableResult public func posix_spawnattr_destroy(_ attributes: UnsafeMutablePointer<posix_spawnattr_t?>!) -> Int32 { fatalError() }
@discardableResult public func posix_spawnattr_setflags(_ attributes: UnsafeMutablePointer<posix_spawnattr_t?>!, _ flags: Int16) -> Int32 {
    fatalError()
}
@discardableResult public func posix_spawnattr_setsigmask(
    _ attributes: UnsafeMutablePointer<posix_spawnattr_t?>!,
    _ mask: UnsafePointer<sigset_t>!
) -> Int32 { fatalError() }
@discardableResult public func execvp(_ file: UnsafePointer<CChar>!, _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>!) -> Int32 {
    fatalError()
}

public typealias socklen_t = UInt32
public typealias sa_family_t = UInt8
public typealias in_addr_t = UInt32
public typealias in_port_t = UInt16
public var AF_UNIX: Int32 { 1 }
public var AF_INET: Int32 { 2 }
public var AF_INET6: Int32 { 30 }
public var SOCK_STREAM: Int32 { 1 }
public var SOL_SOCKET: Int32 { 0xffff }
public var SO_KEEPALIVE: Int32 { 0x0008 }
public var SO_SNDTIMEO: Int32 { 0x1005 }
public var SO_RCVTIMEO: Int32 { 0x1006 }
public var SO_NOSIGPIPE: Int32 { 0x1022 }
public var MSG_DONTWAIT: Int32 { 0x80 }
public var MSG_PEEK: Int32 { 0x2 }
public var SHUT_RDWR: Int32 { 2 }
public struct timeval: Sendable {
    public var tv_sec: time_t
    public var tv_usec: Int32
    public init() { fatalError() }
    public init(tv_sec: time_t, tv_usec: Int32) { fatalError() }
}
public struct in_addr: Sendable {
    public var s_addr: in_addr_t
    public init() { fatalError() }
    public init(s_addr: in_addr_t) { fatalError() }
}
public struct in6_addr: Sendable {
    public init() { fatalError() }
}
public struct sockaddr_in: Sendable {
    public var sin_len: UInt8
    public var sin_family: sa_family_t
    public var sin_port: in_port_t
    public var sin_addr: in_addr
    public init() { fatalError() }
}
public struct sockaddr_un: Sendable {
    public var sun_len: UInt8
    public var sun_family: sa_family_t
    /// Has 104 elements.
    public var sun_path: (CChar, CChar, CChar, CChar)
    public init() { fatalError() }
}
@discardableResult public func socket(_ domain: Int32, _ type: Int32, _ protocol: Int32) -> Int32 { fatalError() }
@discardableResult public func connect(_ fd: Int32, _ address: UnsafePointer<sockaddr>!, _ length: socklen_t) -> Int32 { fatalError() }
@discardableResult public func bind(_ fd: Int32, _ address: UnsafePointer<sockaddr>!, _ length: socklen_t) -> Int32 { fatalError() }
@discardableResult public func listen(_ fd: Int32, _ backlog: Int32) -> Int32 { fatalError() }
@discardableResult public func getsockname(
    _ fd: Int32,
    _ address: UnsafeMutablePointer<sockaddr>!,
    _ length: UnsafeMutablePointer<socklen_t>!
) -> Int32 { fatalError() }
@discardableResult public func setsockopt(_ fd: Int32, _ level: Int32, _ name: Int32, _ value: UnsafeRawPointer!, _ length: socklen_t) -> Int32 {
    fatalError()
}
@discardableResult public func send(_ fd: Int32, _ buffer: UnsafeRawPointer!, _ count: Int, _ flags: Int32) -> Int { fatalError() }
@discardableResult public func recv(_ fd: Int32, _ buffer: UnsafeMutableRawPointer!, _ count: Int, _ flags: Int32) -> Int { fatalError() }
@discardableResult public func shutdown(_ fd: Int32, _ how: Int32) -> Int32 { fatalError() }

// tcp(4), inet(3)
public var IPPROTO_TCP: Int32 { 6 }
public var TCP_KEEPALIVE: Int32 { 0x10 }
public var TCP_KEEPINTVL: Int32 { 0x101 }
public var TCP_KEEPCNT: Int32 { 0x102 }
@discardableResult public func inet_pton(_ family: Int32, _ text: UnsafePointer<CChar>!, _ address: UnsafeMutableRawPointer!) -> Int32 {
    fatalError()
}

// exit(3), stdio(3), dlopen(3)
public var EXIT_SUCCESS: Int32 { 0 }
public var EXIT_FAILURE: Int32 { 1 }
public func exit(_ status: Int32) -> Never { fatalError() }
public func _exit(_ status: Int32) -> Never { fatalError() }
public struct FILE {}
public var stdin: UnsafeMutablePointer<FILE> {
    get { fatalError() }
    set { fatalError() }
}
public var stdout: UnsafeMutablePointer<FILE> {
    get { fatalError() }
    set { fatalError() }
}
public var stderr: UnsafeMutablePointer<FILE> {
    get { fatalError() }
    set { fatalError() }
}
@discardableResult public func fflush(_ file: UnsafeMutablePointer<FILE>!) -> Int32 { fatalError() }
