// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded

@testable import HoardNIO

/// The rules for all bytes with which a connection may begin.
package enum ProxyProtocolChecks {
    /// Tries one input. Throws a finding if something about the result is wrong.
    @Sendable package static func check(_ bytes: [UInt8]) throws {
        let input = FuzzInput(bytes: bytes)
        let whole = parse(bytes)
        for count in 0..<bytes.count {
            let outcome = parse(bytes[..<count])
            guard outcome != .incomplete else { continue }
            try FuzzInput.require(outcome == whole, "The first \(count) bytes are \(outcome), all of them \(whole).")
            if case .header(_, let byteCount) = outcome { try FuzzInput.require(byteCount == count, "A header of \(byteCount) bytes was read late.") }
            break
        }
        let outcome = Outcome(whole, bytes)
        for pieces in [[bytes], input.singleBytes, input.pieces(upTo: 24)] {
            try FuzzInput.require(try receive(pieces) == outcome, "The handler does not do with pieces what the header says.")
        }
        guard case .header(let header, let byteCount) = whole else { return }
        try FuzzInput.require((1...bytes.count).contains(byteCount), "A header has more bytes than there are.")
        for written in header.written() {
            try FuzzInput.require(
                parse(written + bytes) == .header(header, byteCount: written.count),
                "\(header) is read as something else when it is written."
            )
        }
    }

    private static func parse(_ bytes: some Collection<UInt8>) -> ProxyProtocolHeader.Parsed {
        ProxyProtocolHeader.parse(ByteBuffer(bytes: bytes).readableBytesView)
    }

    private struct Outcome: Equatable {
        var header: ProxyProtocolHeader?
        /// The bytes behind the header.
        var rest: [UInt8] = []
        var isOpen = true

        init() {}

        init(_ parsed: ProxyProtocolHeader.Parsed, _ bytes: [UInt8]) {
            switch parsed {
            case .incomplete: break
            case .invalid: isOpen = false
            case .header(let header, let byteCount):
                self.header = header
                rest = Array(bytes[byteCount...])
            }
        }
    }

    private static func receive(_ pieces: [[UInt8]]) throws -> Outcome {
        var outcome = Outcome()
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        try channel.pipeline.syncOperations.addHandler(ProxyProtocolHandler { header, _ in outcome.header = header })
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 80)).wait()
        for piece in pieces where channel.isActive {
            try channel.writeInbound(ByteBuffer(bytes: piece))
            channel.embeddedEventLoop.run()
            while let bytes = try channel.readInbound(as: ByteBuffer.self) { outcome.rest += bytes.readableBytesView }
        }
        outcome.isOpen = channel.isActive
        return outcome
    }
}

extension ProxyProtocolHeader {
    /// The header in version 1, if that version has a form for it, and in version 2 without and with a checksum.
    fileprivate func written() -> [[UInt8]] {
        switch self {
        case .local: [Array("PROXY UNKNOWN\r\n".utf8)] + Self.binary(command: 0x20, family: 0x00, addresses: [])
        case .unixClient: Self.binary(command: 0x21, family: 0x31, addresses: Array(repeating: 0x61, count: 216))
        case .client(let text):
            switch try? SocketAddress(ipAddress: text, port: 0) {
            // The address lies behind family and port, and in IPv6 also behind the flow.
            case .v4(let address): [Self.line("TCP4", text)] + Self.binary(family: 0x11, withUnsafeBytes(of: address.address) { Array($0[4..<8]) })
            case .v6(let address): [Self.line("TCP6", text)] + Self.binary(family: 0x21, withUnsafeBytes(of: address.address) { Array($0[8..<24]) })
            // A text that is no address is read as no address.
            default: [[]]
            }
        }
    }

    private static func line(_ family: String, _ address: String) -> [UInt8] { Array("PROXY \(family) \(address) \(address) 1 65535\r\n".utf8) }

    private static func binary(family: UInt8, _ address: [UInt8]) -> [[UInt8]] {
        binary(command: 0x21, family: family, addresses: address + address + [0, 1, 0, 2])
    }

    private static func binary(command: UInt8, family: UInt8, addresses: [UInt8]) -> [[UInt8]] {
        func header(_ content: [UInt8]) -> [UInt8] {
            [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A, command, family, 0, UInt8(content.count)] + content
        }
        let cleared = header(addresses + [0x03, 0, 4, 0, 0, 0, 0])
        let checksum = withUnsafeBytes(of: CRC32C.checksum(of: cleared).bigEndian) { Array($0) }
        return [header(addresses), cleared.dropLast(4) + checksum]
    }
}
