// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import Foundation

    /// A connection that reads and writes while its thread waits, and allocates nothing for a message. So the
    /// counted cost is that between two of these connections.
    ///
    /// Every message from a server has content of ``contentByteCount`` bytes.
    final class LoopbackConnection: @unchecked Sendable {
        struct Failure: Error {
            let call: String
            let code = errno
        }

        static let contentByteCount = 1_024

        private let socket: Int32
        private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
        private(set) var head = 0..<0

        private init(_ socket: Int32) { self.socket = socket }

        deinit {
            close(socket)
            buffer.deallocate()
        }

        /// Connects to a server on this machine.
        static func connect(port: Int) throws -> LoopbackConnection {
            let socket = try makeSocket()
            try withAddress(port: port) { address, length in
                guard Glibc.connect(socket, address, length) == 0 else { throw Failure(call: "connect") }
            }
            var one: Int32 = 1
            setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
            return LoopbackConnection(socket)
        }

        /// Starts a server that answers one request after the other, on a thread for each connection.
        ///
        /// - Parameter answer: Gets the head of a request.
        /// - Returns: The port.
        static func serve(_ answer: @escaping @Sendable (UnsafeRawBufferPointer) -> [UInt8]) throws -> Int {
            let listener = try makeSocket()
            try withAddress(port: 0) { address, length in
                guard bind(listener, address, length) == 0, listen(listener, 16) == 0 else { throw Failure(call: "listen") }
            }
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let code = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &length) }
            }
            guard code == 0 else { throw Failure(call: "getsockname") }
            Thread {
                while case let socket = accept(listener, nil, nil), socket >= 0 {
                    let connection = LoopbackConnection(socket)
                    Thread { while connection.read(isRequest: true), connection.write(answer(connection.headBytes)) {} }.start()
                }
            }.start()
            return Int(UInt16(bigEndian: address.sin_port))
        }

        /// The head of the message that was read last.
        var headBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[head]) }

        /// Reads one message.
        func read(isRequest: Bool) -> Bool {
            var count = 0
            var end: Int?
            while true {
                let read = Glibc.read(socket, buffer.baseAddress?.advanced(by: count), buffer.count - count)
                guard read > 0 else { return false }
                count += read
                if end == nil { end = endOfHead(count) }
                guard let end, count >= end + (isRequest ? 0 : Self.contentByteCount) else { continue }
                head = 0..<end
                return true
            }
        }

        private func endOfHead(_ count: Int) -> Int? {
            UnsafeRawBufferPointer(rebasing: buffer[..<count]).firstIndex(of: "\r\n\r\n").map { $0 + 4 }
        }

        func write(_ bytes: [UInt8]) -> Bool {
            bytes.withUnsafeBytes { Glibc.write(socket, $0.baseAddress, $0.count) == $0.count }
        }

        private static func makeSocket() throws -> Int32 {
            let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            guard socket >= 0 else { throw Failure(call: "socket") }
            return socket
        }

        private static func withAddress(port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void) throws {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            try withUnsafePointer(to: address) {
                try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { try body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
            }
        }
    }

    extension UnsafeRawBufferPointer {
        /// The index at which a text begins.
        func firstIndex(of text: StaticString) -> Int? {
            guard let baseAddress, count >= text.utf8CodeUnitCount else { return nil }
            for start in 0...count - text.utf8CodeUnitCount where memcmp(baseAddress + start, text.utf8Start, text.utf8CodeUnitCount) == 0 {
                return start
            }
            return nil
        }
    }

    extension LoopbackConnection {
        /// Sends requests one after the other, on a thread of its own, and waits for the answer to each.
        ///
        /// - Parameters:
        ///   - path: The beginning of the path. A number of nine digits follows.
        ///   - isNew: Whether each request is for another number.
        static func get(_ path: String, _ count: Int, isNew: Bool, port: Int) async throws {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                Thread {
                    continuation.resume(with: Result { try getAll(path, count, isNew: isNew, port: port) })
                }.start()
            }
        }

        private static func getAll(_ path: String, _ count: Int, isNew: Bool, port: Int) throws {
            let connection = try connect(port: port)
            var request = Array("GET \(path)000000000 HTTP/1.1\r\nHost: example.com\r\nUser-Agent: budgets\r\n\r\n".utf8)
            let end = 4 + path.utf8.count + 9
            for number in 0..<count {
                var rest = isNew ? number : 0
                for index in (end - 9..<end).reversed() {
                    request[index] = UInt8(ascii: "0") + UInt8(rest % 10)
                    rest /= 10
                }
                guard connection.write(request), connection.read(isRequest: false) else { throw Failure(call: "request") }
                // "HTTP/1.1 200"
                guard connection.headBytes[9] == UInt8(ascii: "2") else { throw WrongWay(way: path) }
            }
        }
    }
#endif
