// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import NIOCore
import Testing

@testable import HoardNIO

@Suite struct ProxyProtocolHeaderTests {
    private static func parse(_ bytes: [UInt8]) -> ProxyProtocolHeader.Parsed {
        ProxyProtocolHeader.parse(ByteBuffer(bytes: bytes).readableBytesView)
    }

    static let text: [(String, ProxyProtocolHeader)] = [
        ("PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\r\n", .client("192.0.2.7")),
        ("PROXY TCP4 0.0.0.0 255.255.255.255 0 65535\r\n", .client("0.0.0.0")),
        ("PROXY TCP6 2001:db8::1 ::1 1 2\r\n", .client("2001:db8::1")),
        (
            "PROXY TCP6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535\r\n",
            .client("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")
        ),
        ("PROXY UNKNOWN\r\n", .local),
        ("PROXY UNKNOWN whatever stands here\r\n", .local),
    ]

    @Test(arguments: text)
    func versionOneIsRead(_ line: String, _ header: ProxyProtocolHeader) {
        let bytes = Array(line.utf8)
        #expect(Self.parse(bytes) == .header(header, byteCount: bytes.count))
        #expect(Self.parse(bytes + Array("GET / HTTP/1.1\r\n".utf8)) == .header(header, byteCount: bytes.count))
        for count in 0..<bytes.count { #expect(Self.parse(Array(bytes[..<count])) == .incomplete) }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n", "PROXX", "proxy TCP4 1.2.3.4 1.2.3.4 1 2\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 2\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1\r\n",
        "PROXY TCP4 1.2.3.4 1.2.3.4 1 2 3\r\n", "PROXY TCP4 1.2.3.4  1.2.3.4 1 2\r\n", "PROXY TCP4 ::1 1.2.3.4 1 2\r\n",
        "PROXY TCP4 1.2.3.4 ::1 1 2\r\n",
        "PROXY TCP6 1.2.3.4 ::1 1 2\r\n", "PROXY TCP4 1.2.3 1.2.3.4 1 2\r\n", "PROXY TCP4 1.2.3.4.5 1.2.3.4 1 2\r\n", "PROXY TCP4 a 1.2.3.4 1 2\r\n",
        "PROXY TCP4 1.2.3.4 1.2.3.4 65536 2\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 -1 2\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 01 2\r\n",
        "PROXY TCP4 1.2.3.4 1.2.3.4 1 +2\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 \r\n", "PROXY UDP4 1.2.3.4 1.2.3.4 1 2\r\n", "PROXY \r\n", "PROXY\r\n",
        "PROXY UNKNOWN " + String(repeating: "x", count: 100) + "\r\n", "PROXY " + String(repeating: "x", count: 200), "\n", " ",
    ])
    func whatIsNotVersionOneIsInvalid(_ line: String) {
        #expect(Self.parse(Array(line.utf8)) == .invalid)
    }

    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]

    private static func binary(_ command: UInt8, _ family: UInt8, _ content: [UInt8]) -> [UInt8] {
        signature + [command, family, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
    }

    private static let v4: [UInt8] = [192, 0, 2, 7, 198, 51, 100, 1, 0xDC, 4, 1, 0xBB]
    private static let v6: [UInt8] = [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1] + [UInt8](repeating: 0, count: 20)

    static let headers: [([UInt8], ProxyProtocolHeader)] = [
        (binary(0x21, 0x11, v4), .client("192.0.2.7")),
        (binary(0x21, 0x21, v6), .client("2001:db8::1")),
        (binary(0x21, 0x31, [UInt8](repeating: 0, count: 216)), .unixClient),
        (binary(0x21, 0x11, v4 + [4, 0, 3, 1, 2, 3, 1, 0, 0]), .client("192.0.2.7")),
        (binary(0x20, 0x00, []), .local),
        (binary(0x20, 0x11, v4), .local),
        (binary(0x20, 0x77, [1, 2, 3]), .local),
        (binary(0x21, 0x00, [1, 2, 3]), .local),
    ]

    @Test(arguments: headers)
    func versionTwoIsRead(_ bytes: [UInt8], _ header: ProxyProtocolHeader) {
        #expect(Self.parse(bytes) == .header(header, byteCount: bytes.count))
        #expect(Self.parse(bytes + [1, 2, 3]) == .header(header, byteCount: bytes.count))
        for count in 0..<bytes.count { #expect(Self.parse(Array(bytes[..<count])) == .incomplete) }
    }

    static let invalidHeaders: [[UInt8]] = [
        [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 11],
        binary(0x11, 0x11, v4), binary(0x22, 0x11, v4), binary(0x31, 0x11, v4), binary(0x21, 0x12, v4), binary(0x21, 0x41, v4),
        // The address is cut off.
        binary(0x21, 0x11, Array(v4.dropLast())), binary(0x21, 0x21, v4), binary(0x21, 0x31, v4),
        // An extension is cut off.
        binary(0x21, 0x11, v4 + [4]), binary(0x21, 0x11, v4 + [4, 0, 4, 1, 2, 3]), binary(0x21, 0x11, v4 + [4, 0xFF, 0xFF]),
        // A value that is no checksum, or a wrong one.
        binary(0x21, 0x11, v4 + [3, 0, 3, 1, 2, 3]), binary(0x21, 0x11, v4 + [3, 0, 4, 1, 2, 3, 4]),
        signature + [0x21, 0x11, 0xFF, 0xFF],
    ]

    @Test(arguments: invalidHeaders)
    func whatIsNotVersionTwoIsInvalid(_ bytes: [UInt8]) {
        #expect(Self.parse(bytes) == .invalid)
    }

    @Test func checksumIsChecked() {
        #expect(CRC32C.checksum(of: Array("123456789".utf8)) == 0xE306_9283)
        var bytes = Self.binary(0x21, 0x11, Self.v4 + [3, 0, 4, 0, 0, 0, 0])
        let checksum = CRC32C.checksum(of: bytes)
        bytes.replaceSubrange((bytes.count - 4)..., with: (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (24 - 8 * $0)) })
        #expect(Self.parse(bytes) == .header(.client("192.0.2.7"), byteCount: bytes.count))
        bytes[20] ^= 1
        #expect(Self.parse(bytes) == .invalid)
    }

    @Test func anyBytesAreJudgedWithoutHarm() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            var bytes =
                Bool.random(using: &generator)
                ? Self.headers.randomElement(using: &generator)?.0 ?? [] : Array("PROXY TCP4 1.2.3.4 1.2.3.4 1 2\r\n".utf8)
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: .min ... .max, using: &generator)
            }
            bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator))
            if case .header(_, let byteCount) = Self.parse(bytes) {
                #expect(byteCount <= bytes.count && byteCount <= ProxyProtocolHeader.maximumByteCount, "seed \(seed)")
            }
        }
    }
}
