// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// An address to listen on: `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`, or `:8080` for all addresses of the machine.
struct ListenAddress: ExpressibleByArgument, Hashable, Sendable {
    let host: String
    let port: Int

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    init?(argument: String) {
        guard let colon = argument.lastIndex(of: ":"), let port = UInt16(argument[argument.index(after: colon)...]) else { return nil }
        var host = argument[..<colon]
        if host.first == "[", host.last == "]" {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        self.host = host.isEmpty ? "0.0.0.0" : String(host)
        self.port = Int(port)
    }

    var defaultValueDescription: String { "\(host):\(port)" }
}
