// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

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

/// The options that all campaigns have.
struct CampaignOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Repeat a run: the seed from its summary. By default a random one.", valueName: "number"))
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "Where the campaign makes its files, in a directory of its own. By default the directory for temporary files, or /dev/shm where memory will do.",
            valueName: "path"
        )
    )
    var directory: String?

    @Flag(help: "Keep the files even if nothing was wrong.")
    var keep = false

    @Flag(name: .customLong("stop-at-failure"), help: "Stop at the first failure.")
    var stopsAtFailure = false

    /// Creates the campaign's own directory.
    ///
    /// - Parameter inMemory: Whether the campaign does not depend on a disk. Memory is several times as fast.
    func campaign(_ name: String, inMemory: Bool = false) throws -> Campaign {
        let seed = seed ?? .random(in: 1...UInt64(UInt32.max))
        let memory = inMemory ? Self.memoryDirectory : nil
        let parent = directory ?? memory ?? FileManager.default.temporaryDirectory.path
        let path = "\(parent)/hoard-\(name)-\(seed)-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return Campaign(name: name, seed: seed, directory: path, keepsFiles: keep, stopsAtFailure: stopsAtFailure)
    }

    /// The directory of a file system in memory that has room, if there is one. In containers it is often too small.
    private static var memoryDirectory: String? {
        let path = "/dev/shm"
        var status = statvfs()
        guard statvfs(path, &status) == 0, access(path, W_OK) == 0 else { return nil }
        let available = UInt64(status.f_bavail) * UInt64(status.f_frsize)
        return available >= 512 << 20 ? path : nil
    }
}
