// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A network of IP addresses, such as `10.0.0.0/8`, `2001:db8::/32` or one address; or `unix`, which stands for clients on Unix sockets.
///
/// IPv4 addresses in IPv6's clothes (`::ffff:10.0.0.1`) count as IPv4.
public struct IPNetwork: Hashable, Sendable, CustomStringConvertible {
    /// As it was written.
    public let description: String
    /// IPv4 addresses are mapped into IPv6. `nil`: Unix sockets.
    private let address: [UInt8]?
    private let prefixLength: Int

    /// `nil` if the text is no network.
    public init?(_ text: String) {
        description = text
        guard text != "unix" else {
            (address, prefixLength) = (nil, 0)
            return
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = Self.bytes(of: String(parts[0])) else { return nil }
        let isIPv4 = !parts[0].contains(":")
        let limit = isIPv4 ? 32 : 128
        var length = limit
        if parts.count == 2 {
            guard !parts[1].isEmpty, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let given = Int(parts[1]), given <= limit else {
                return nil
            }
            length = given
        }
        self.address = address
        prefixLength = isIPv4 ? 96 + length : length
    }

    /// Whether an address is one of the network's; an empty text stands for a Unix socket. O(1).
    public func contains(_ text: String) -> Bool {
        guard let address else { return text.isEmpty }
        guard let other = Self.bytes(of: text) else { return false }
        let (wholeBytes, bits) = prefixLength.quotientAndRemainder(dividingBy: 8)
        guard address[..<wholeBytes] == other[..<wholeBytes] else { return false }
        return bits == 0 || (address[wholeBytes] ^ other[wholeBytes]) >> (8 - bits) == 0
    }

    /// The 16 bytes of an address; `nil` if the text is none.
    static func bytes(of text: String) -> [UInt8]? {
        // Without the zone of a link-local address.
        let text = String(text.prefix { $0 != "%" })
        var bytes = [UInt8](repeating: 0, count: 16)
        if bytes.withUnsafeMutableBytes({ inet_pton(AF_INET, text, $0.baseAddress) }) == 1 {
            return [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + bytes.prefix(4)
        }
        return bytes.withUnsafeMutableBytes { inet_pton(AF_INET6, text, $0.baseAddress) } == 1 ? bytes : nil
    }
}
