// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The system's counters.
enum System {
    struct Counters {
        /// Bytes that this thread made the device read, by /proc/thread-self/io.
        var readBytes = 0
        /// Bytes that this process made the device write, by /proc/self/io.
        var writtenBytes = 0
        /// The work of the device for all processes, by /sys/block.
        var deviceReads = 0
        var deviceWrittenBytes = 0
        /// The processor time of all threads.
        var processorNanoseconds = 0

        static func - (left: Counters, right: Counters) -> Counters {
            Counters(
                readBytes: left.readBytes - right.readBytes,
                writtenBytes: left.writtenBytes - right.writtenBytes,
                deviceReads: left.deviceReads - right.deviceReads,
                deviceWrittenBytes: left.deviceWrittenBytes - right.deviceWrittenBytes,
                processorNanoseconds: left.processorNanoseconds - right.processorNanoseconds
            )
        }
    }

    static var counters: Counters {
        var counters = Counters()
        counters.readBytes = number("read_bytes:", in: "/proc/thread-self/io")
        counters.writtenBytes = number("write_bytes:", in: "/proc/self/io")
        let fields = text("/sys/block/\(device)/stat").split(separator: " ").compactMap { Int($0) }
        if fields.count > 6 {
            counters.deviceReads = fields[0]
            counters.deviceWrittenBytes = fields[6] * 512
        }
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        counters.processorNanoseconds = Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
        return counters
    }

    private static let device = ProcessInfo.processInfo.environment["DISK_CANDIDATES_DEVICE"] ?? "vda"

    /// The memory that is this process's own, without pages of files.
    static var memoryBytes: Int { number("RssAnon:", in: "/proc/self/status") * 1024 }

    private static func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

    private static func number(_ name: String, in path: String) -> Int {
        for line in text(path).split(separator: "\n") where line.hasPrefix(name) {
            return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0
        }
        return 0
    }

    static func files(in directory: String) -> [String] {
        (FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []).map { "\(directory)/\($0)" }
    }

    /// The bytes that a directory takes on the device.
    static func allocatedBytes(_ directory: String) -> Int {
        files(in: directory).reduce(0) { total, path in
            var status = stat()
            return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? total + Int(status.st_blocks) * 512 : total
        }
    }

    /// Writes everything to the device, and then has the kernel forget the pages of all files. Pages that a process has mapped stay.
    static func dropPages(_ directory: String) {
        for path in files(in: directory) {
            let file = open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { continue }
            fsync(file)
            posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
            close(file)
        }
    }

    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
