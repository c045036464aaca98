// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// The header in which a load balancer describes the client in front of a connection: the
/// [PROXY protocol](https://www.haproxy.org/download/3.2/doc/proxy-protocol.txt), versions 1 and 2.
enum ProxyProtocolHeader: Hashable, Sendable {
    /// The balancer speaks for itself, as it does for health checks, or does not know the client.
    case local
    /// The client's IP address, without its port.
    case client(String)
    /// The client uses a Unix socket.
    case unixClient

    enum Parsed: Hashable {
        case incomplete
        case invalid
        /// - Parameter byteCount: The length of the header. The bytes that follow are not part of it.
        case header(ProxyProtocolHeader, byteCount: Int)
    }

    /// The most bytes that a header may have. Nothing needs more, extensions included.
    static let maximumByteCount = 4_096

    /// Reads the header that `bytes` begin with.
    ///
    /// - Complexity: O(n) in the length of the header, at most ``maximumByteCount``.
    static func parse(_ bytes: ByteBufferView) -> Parsed {
        guard let first = bytes.first else { return .incomplete }
        return first == binarySignature[0] ? parseBinary(bytes) : parseText(bytes)
    }

    // MARK: Version 1

    private static let textSignature = Array("PROXY ".utf8)
    private static let maximumTextByteCount = 107

    private static func parseText(_ bytes: ByteBufferView) -> Parsed {
        guard zip(bytes, textSignature).allSatisfy({ $0 == $1 }) else { return .invalid }
        let line = bytes.prefix(maximumTextByteCount)
        guard let end = line.firstIndex(of: UInt8(ascii: "\n")) else { return line.count < maximumTextByteCount ? .incomplete : .invalid }
        guard end > line.startIndex, line[line.index(before: end)] == UInt8(ascii: "\r"), line.count > textSignature.count else { return .invalid }
        let byteCount = line.distance(from: line.startIndex, to: end) + 1
        let words = String(decoding: line[line.startIndex..<line.index(before: end)], as: UTF8.self)
            .split(separator: " ", omittingEmptySubsequences: false)
        // An unknown client may be followed by anything.
        if words.count >= 2, words[1] == "UNKNOWN" { return .header(.local, byteCount: byteCount) }
        guard words.count == 6, words[1] == "TCP4" || words[1] == "TCP6", isPort(words[4]), isPort(words[5]) else { return .invalid }
        let version: NIOBSDSocket.ProtocolFamily = words[1] == "TCP4" ? .inet : .inet6
        guard let client = address(words[2], version), address(words[3], version) != nil else { return .invalid }
        return .header(.client(client), byteCount: byteCount)
    }

    private static func isPort(_ text: Substring) -> Bool {
        guard !text.isEmpty, text.utf8.count <= 5, text == "0" || text.first != "0" else { return false }
        return text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } && UInt16(text) != nil
    }

    private static func address(_ text: Substring, _ version: NIOBSDSocket.ProtocolFamily) -> String? {
        guard let address = try? SocketAddress(ipAddress: String(text), port: 0), address.protocol == version else { return nil }
        return address.ipAddress
    }

    // MARK: Version 2

    private static let binarySignature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
    private static let fixedByteCount = 16

    private static func parseBinary(_ bytes: ByteBufferView) -> Parsed {
        guard zip(bytes, binarySignature).allSatisfy({ $0 == $1 }) else { return .invalid }
        let fixed = Array(bytes.prefix(fixedByteCount))
        // An invalid header is refused as soon as it can be recognised.
        if fixed.count > 12, fixed[12] != 0x20, fixed[12] != 0x21 { return .invalid }
        guard fixed.count == fixedByteCount else { return .incomplete }
        let length = Int(fixed[14]) << 8 | Int(fixed[15])
        guard fixedByteCount + length <= maximumByteCount else { return .invalid }
        guard bytes.count >= fixedByteCount + length else { return .incomplete }
        let header = Array(bytes.prefix(fixedByteCount + length))
        guard let client = client(family: fixed[13], isLocal: fixed[12] == 0x20, header: header) else { return .invalid }
        return .header(client, byteCount: header.count)
    }

    private static func client(family: UInt8, isLocal: Bool, header: [UInt8]) -> ProxyProtocolHeader? {
        let addressByteCount: Int
        switch family {
        case 0x00: addressByteCount = 0
        case 0x11: addressByteCount = 12
        case 0x21: addressByteCount = 36
        case 0x31: addressByteCount = 216
        default: return isLocal ? .local : nil
        }
        // A local header's content is not to be looked at, whatever it is.
        if isLocal { return .local }
        // With an unspecified family, all that follows is to be skipped.
        if family == 0x00 { return .local }
        let content = header.dropFirst(fixedByteCount)
        guard content.count >= addressByteCount, areExtensionsValid(in: header, from: fixedByteCount + addressByteCount) else { return nil }
        switch family {
        case 0x11: return address(content.prefix(4)).map { .client($0) }
        case 0x21: return address(content.prefix(16)).map { .client($0) }
        default: return .unixClient
        }
    }

    private static func address(_ bytes: ArraySlice<UInt8>) -> String? {
        try? SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: 0).ipAddress
    }

    /// Whether the extensions (type, length, value) end where the header ends, and a checksum among them is right.
    private static func areExtensionsValid(in header: [UInt8], from start: Int) -> Bool {
        var index = start
        while index < header.count {
            guard index + 3 <= header.count else { return false }
            let length = Int(header[index + 1]) << 8 | Int(header[index + 2])
            let value = index + 3
            guard value + length <= header.count else { return false }
            if header[index] == checksumType {
                guard length == 4 else { return false }
                var cleared = header
                cleared.replaceSubrange(value..<(value + 4), with: [0, 0, 0, 0])
                let expected = header[value..<(value + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                guard CRC32C.checksum(of: cleared) == expected else { return false }
            }
            index = value + length
        }
        return true
    }

    private static let checksumType: UInt8 = 0x03
}

/// The checksum of [RFC 9260, appendix A](https://www.rfc-editor.org/rfc/rfc9260#appendix-A).
enum CRC32C {
    static func checksum(of bytes: [UInt8]) -> UInt32 {
        var remainder = UInt32.max
        for byte in bytes {
            remainder ^= UInt32(byte)
            for _ in 0..<8 {
                remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0x82F6_3B78 : remainder >> 1
            }
        }
        return ~remainder
    }
}
