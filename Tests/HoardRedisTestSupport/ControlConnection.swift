// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardProcessTestSupport

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A server's answer to a test that configures or questions it.
package enum ControlReply: Equatable, Sendable {
    case text(String)
    case error(String)
    case integer(Int)
    case null
    case array([ControlReply])

    /// The text of a text reply, or the texts of an array, in lines.
    package var description: String {
        switch self {
        case .text(let text), .error(let text): text
        case .integer(let number): "\(number)"
        case .null: ""
        case .array(let replies): replies.map(\.description).joined(separator: "\n")
        }
    }
}

/// A connection by which tests configure and question a server: RESP2 over its Unix socket, one command at a time. Blocks, at most five seconds.
///
/// Shares no code with the client under test.
struct ControlConnection: ~Copyable {
    private let descriptor: CInt
    private var received: [UInt8] = []
    private var offset = 0

    /// Connects; `nil` if no server listens there.
    init?(unixPath: String) {
        guard let descriptor = SocketCalls.connect(unixPath: unixPath) else { return nil }
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    mutating func send(_ words: [String]) throws(SystemFailure) -> ControlReply {
        var bytes = Array("*\(words.count)\r\n".utf8)
        for word in words { bytes += Array("$\(word.utf8.count)\r\n\(word)\r\n".utf8) }
        var rest = bytes[...]
        while !rest.isEmpty {
            #if os(Linux)
                let count = rest.withUnsafeBytes { systemSend(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            #else
                let count = rest.withUnsafeBytes { systemSend(descriptor, $0.baseAddress, $0.count, 0) }
            #endif
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw SystemFailure("send a command", number: errno) }
            rest = rest.dropFirst(count)
        }
        return try readReply()
    }

    private mutating func readReply() throws(SystemFailure) -> ControlReply {
        let line = try readLine()
        let text = String(decoding: line.dropFirst(), as: UTF8.self)
        switch line.first {
        case UInt8(ascii: "+"): return .text(text)
        case UInt8(ascii: "-"): return .error(text)
        case UInt8(ascii: ":"): return .integer(Int(text) ?? 0)
        case UInt8(ascii: "$"):
            guard let count = Int(text), count >= 0 else { return .null }
            while received.count - offset < count + 2 { try readMore() }
            defer { offset += count + 2 }
            return .text(String(decoding: received[offset..<offset + count], as: UTF8.self))
        case UInt8(ascii: "*"):
            guard let count = Int(text), count >= 0 else { return .null }
            var replies: [ControlReply] = []
            for _ in 0..<count { replies.append(try readReply()) }
            return .array(replies)
        default: throw SystemFailure("understand the reply of a server")
        }
    }

    private mutating func readLine() throws(SystemFailure) -> ArraySlice<UInt8> {
        while true {
            if let end = received[offset...].firstIndex(of: UInt8(ascii: "\r")), end + 1 < received.count {
                defer { offset = end + 2 }
                return received[offset..<end]
            }
            try readMore()
        }
    }

    private mutating func readMore() throws(SystemFailure) {
        if offset == received.count {
            received.removeAll(keepingCapacity: true)
            offset = 0
        }
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw SystemFailure("read the reply of a server", number: count == 0 ? ECONNRESET : errno) }
            received += bytes[..<count]
            return
        }
    }
}

private let systemSend: @Sendable (CInt, UnsafeRawPointer?, Int, CInt) -> Int = { send($0, $1, $2, $3) }
