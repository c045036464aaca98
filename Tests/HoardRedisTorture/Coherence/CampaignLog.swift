// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardProcessTestSupport
import HoardRedisTestSupport

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The file to which a worker notes events. Each is one `write(2)`, so that a noted event
/// stays, however the process ends.
struct CampaignLog: Sendable {
    private let descriptor: CInt

    init(_ path: String) throws(SystemFailure) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemFailure("create \(path)", number: errno) }
    }

    func note(_ events: CampaignEvent...) {
        note(events)
    }

    func note(_ events: [CampaignEvent]) {
        let bytes = Array(events.map { $0.line + "\n" }.joined().utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            // Without a log nothing can be judged.
            if count <= 0 { exit(EXIT_FAILURE) }
            rest = rest.dropFirst(count)
        }
    }

    /// The events in a file, without a last line that is not complete.
    static func events(in path: String) throws -> [CampaignEvent] {
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        lines.removeLast()
        return lines.compactMap { CampaignEvent(line: $0) }
    }
}

private let systemWrite: @Sendable (CInt, UnsafeRawPointer?, Int) -> Int = { write($0, $1, $2) }
