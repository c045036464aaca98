// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation

/// Sends requests over 32 connections that are kept open, each when the one before it has been answered, from one thread.
final class LoadGenerator {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    fileprivate struct Connection {
        let socket: Int32
        /// How many bytes of the answer under way have come.
        var received = 0
        /// How long it is, once its head has come.
        var expected: Int?
        var head: [UInt8] = []
    }

    private static let connectionCount = 32
    private let port: Int
    private let way: Way
    private let round: Int
    private var number = 0

    init(port: Int, way: Way, round: Int) {
        self.port = port
        self.way = way
        self.round = round
    }

    /// - Returns: Answers in a second.
    func rate(seconds: Int) throws -> Double {
        var connections = try (0..<Self.connectionCount).map { _ in Connection(socket: try connection()) }
        defer { for connection in connections { close(connection.socket) } }
        var polled = connections.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var answered = 0
        for connection in connections { try ask(connection.socket) }
        let start = monotonicNanoseconds()
        let end = start + Int64(seconds) * 1_000_000_000
        while monotonicNanoseconds() < end {
            guard poll(&polled, nfds_t(polled.count), 1_000) > 0 else { throw Failure(description: "The server has not answered for a second.") }
            for index in polled.indices where polled[index].revents != 0 {
                let count = recv(connections[index].socket, &buffer, buffer.count, 0)
                guard count > 0 else { throw Failure(description: "The server closed a connection.") }
                if try connections[index].take(buffer[..<count]) {
                    answered += 1
                    try ask(connections[index].socket)
                }
            }
        }
        return Double(answered) * 1e9 / Double(monotonicNanoseconds() - start)
    }

    private func ask(_ socket: Int32) throws {
        number += 1
        let request = Array("GET \(way.path(round, number)) HTTP/1.1\r\nHost: example.com\r\nUser-Agent: load\r\nAccept: */*\r\n\r\n".utf8)
        guard write(socket, request, request.count) == request.count else { throw Failure(description: "A request could not be sent.") }
    }

    private func connection() throws -> Int32 {
        #if canImport(Darwin)
            let socket = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        guard result == 0 else { throw Failure(description: "The server does not accept connections.") }
        return socket
    }
}

extension LoadGenerator.Connection {
    /// - Returns: Whether the answer is complete. Nothing may follow it.
    fileprivate mutating func take(_ bytes: ArraySlice<UInt8>) throws -> Bool {
        received += bytes.count
        if expected == nil {
            head += bytes
            guard let headEnd = head.firstRange(of: Array("\r\n\r\n".utf8)) else { return false }
            let text = String(decoding: head[..<headEnd.lowerBound], as: UTF8.self)
            guard text.hasPrefix("HTTP/1.1 200 ") else { throw LoadGenerator.Failure(description: "The server answered: \(text.prefix(60))") }
            guard let line = text.split(separator: "\r\n").first(where: { $0.lowercased().hasPrefix("content-length:") }),
                let length = line.split(separator: ":").last.flatMap({ Int($0.trimmingCharacters(in: .whitespaces)) })
            else { throw LoadGenerator.Failure(description: "An answer has no Content-Length.") }
            expected = headEnd.upperBound + length
        }
        guard let expected, received >= expected else { return false }
        guard received == expected else { throw LoadGenerator.Failure(description: "More came than was asked for.") }
        received = 0
        self.expected = nil
        head = []
        return true
    }
}
