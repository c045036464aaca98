// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension RedisServer {
    /// Why suites that need a server cannot run; `nil` if they can.
    package static let unavailableReason: String? = program == nil ? requirement : nil

    /// Whether suites that need a server can run: `@Suite(.enabled(if: RedisServer.isAvailable, "\(RedisServer.requirement)"))`.
    package static var isAvailable: Bool { unavailableReason == nil }

    /// The requirement of those suites, as the reason for which they are skipped.
    package static let requirement = "needs redis-server or valkey-server in PATH, or named by HOARD_REDIS_SERVER (Scripts/setup installs it)"

    /// The server's executable.
    static let program: String? = {
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["HOARD_REDIS_SERVER"], !path.isEmpty { return isExecutable(path) ? path : nil }
        for name in ["redis-server", "valkey-server"] {
            for directory in (environment["PATH"] ?? "").split(separator: ":") where isExecutable("\(directory)/\(name)") {
                return "\(directory)/\(name)"
            }
        }
        return nil
    }()

    private static func isExecutable(_ path: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: path)
    }

    /// One server for all suites of this process that only need one. They must use keys of their own, and neither empty nor configure it. May suspend.
    package static func shared() async throws -> RedisServer {
        try await sharedStart.value
    }

    private static let sharedStart = startTask { try await RedisServer.start() }

    /// A new directory. Its path is short, as that of a socket must be.
    static func makeDirectory() throws -> String {
        let base = FileManager.default.temporaryDirectory.path()
        let path = "\(base.hasSuffix("/") ? base : base + "/")hoard-redis-\(UInt32.random(in: 0...UInt32.max))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        return path
    }

    static func removeDirectory(_ path: String) {
        try? FileManager.default.removeItem(atPath: path)
    }
}

extension String {
    func write(to path: String) throws {
        try Data(utf8).write(to: URL(filePath: path))
    }

    init(contentsOf path: String) throws {
        self = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }
}
