// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The network that counts as one client: an IPv4 address, or the 64 bits of an IPv6 address that name its network, since a client can have all the
/// rest.
struct ClientNetwork: Hashable, Sendable {
    private let bits: UInt64
    private let isIPv6: Bool

    /// `nil` if the text is no IP address.
    init?(_ address: String) {
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, address, &v4) == 1 {
            bits = UInt64(UInt32(bigEndian: v4.s_addr))
            isIPv6 = false
        } else if inet_pton(AF_INET6, address, &v6) == 1 {
            let bytes = withUnsafeBytes(of: v6) { Array($0) }
            // An IPv4 address in IPv6's clothes is the same client.
            let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            bits = (isMapped ? bytes[12...] : bytes[..<8]).reduce(0) { $0 << 8 | UInt64($1) }
            isIPv6 = !isMapped
        } else {
            return nil
        }
    }
}
