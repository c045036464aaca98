// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The files below a directory.
struct FileTree {
    struct File: Hashable {
        /// Relative to the tree's root.
        var path: String
        var byteCount: Int
        /// Nanoseconds since 1970.
        var modified: Int
    }

    let root: String
    /// The regular files, in the order of their paths.
    let files: [File]
    /// The directories, outer ones first.
    let directories: [String]

    /// Lists the files. Leaves out files that disappear meanwhile.
    init(_ root: String) {
        self.root = root
        var files: [File] = []
        var directories: [String] = []
        for path in (try? FileManager.default.subpathsOfDirectory(atPath: root))?.sorted() ?? [] {
            var status = stat()
            guard lstat("\(root)/\(path)", &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR { directories.append(path) }
            guard status.st_mode & S_IFMT == S_IFREG else { continue }
            #if canImport(Darwin)
                let time = status.st_mtimespec
            #else
                let time = status.st_mtim
            #endif
            files.append(File(path: path, byteCount: Int(status.st_size), modified: Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)))
        }
        self.files = files
        self.directories = directories
    }

    /// Copies files and directories to a new directory, with the modification dates of the files.
    func copy(to destination: String) throws {
        try FileManager.default.createDirectory(atPath: destination, withIntermediateDirectories: true)
        for path in directories {
            try FileManager.default.createDirectory(
                atPath: "\(destination)/\(path)",
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }
        for file in files {
            let target = "\(destination)/\(file.path)"
            try Data(contentsOf: URL(fileURLWithPath: "\(root)/\(file.path)")).write(to: URL(fileURLWithPath: target))
            chmod(target, 0o600)
            let time = timespec(tv_sec: file.modified / 1_000_000_000, tv_nsec: file.modified % 1_000_000_000)
            _ = utimensat(AT_FDCWD, target, [time, time], 0)
        }
    }
}
