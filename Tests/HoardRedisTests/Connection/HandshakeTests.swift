// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@_spi(Client) @testable import HoardRedis

@Suite struct HandshakeTests {
    private static let hello = RESPValue.map([.simpleString("server"), .simpleString("redis")])

    private func configuration(_ change: (inout RedisConfiguration) -> Void = { _ in }) -> RedisConfiguration {
        var configuration = RedisConfiguration(address: .tcp(host: "localhost", port: 6379))
        change(&configuration)
        return configuration
    }

    private func sent(_ handshake: Handshake) -> String {
        var bytes = ByteBuffer()
        for command in handshake.commands { RESPEncoder.encode(command, into: &bytes) }
        let words = String(buffer: bytes).split(separator: "\r\n").filter { !$0.hasPrefix("$") }
        return words.map { $0.hasPrefix("*") ? "|" : String($0) }.joined(separator: " ")
    }

    @Test func onlyWhatIsNeededIsSaid() {
        #expect(sent(Handshake(configuration(), trackedPrefix: nil)) == "| HELLO 3 SETNAME hoard")
        #expect(sent(Handshake(configuration { $0.clientName = nil }, trackedPrefix: nil)) == "| HELLO 3")
        #expect(sent(Handshake(configuration { $0.password = "p" }, trackedPrefix: nil)) == "| HELLO 3 AUTH default p SETNAME hoard")
        let all = configuration {
            $0.user = "u"
            $0.password = "p"
            $0.database = 7
        }
        #expect(
            sent(Handshake(all, trackedPrefix: Array("x:".utf8)))
                == "| HELLO 3 AUTH u p SETNAME hoard | SELECT 7 | CLIENT TRACKING ON BCAST PREFIX x: NOLOOP"
        )
    }

    @Test func itIsOverWhenAllIsAnswered() {
        var handshake = Handshake(configuration { $0.database = 1 }, trackedPrefix: [1])
        #expect(handshake.take(Self.hello).isGoingOn)
        #expect(handshake.take(.simpleString("OK")).isGoingOn)
        #expect(handshake.take(.simpleString("OK")).isOver)
    }

    @Test(arguments: [
        ("WRONGPASS invalid username-password pair or user is disabled.", RedisError.Code.authenticationFailed),
        (
            "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used",
            .authenticationFailed
        ),
        ("ERR unknown command `HELLO`, with args beginning with: `3`, `AUTH`, `secret`", .unsupportedServer),
        ("NOPROTO unsupported protocol version", .unsupportedServer),
        ("LOADING Redis is loading the dataset in memory", .notReady),
        ("ERR Client names cannot contain spaces, newlines or special characters.", .serverError),
        ("secret", .serverError),
    ])
    func aRefusedLoginHasItsReason(text: String, code: RedisError.Code) {
        var handshake = Handshake(configuration(), trackedPrefix: nil)
        let error = handshake.take(.error(text)).error
        #expect(error?.code == code)
        #expect(error.map { "\($0)" }?.contains("secret") == false)
    }

    @Test func aReplyBehindTheLastOneIsAnError() {
        var handshake = Handshake(configuration(), trackedPrefix: nil)
        #expect(handshake.take(.error("ERR")).error?.code == .serverError)
        #expect(handshake.take(.simpleString("OK")).error?.code == .protocolViolation)
    }

    @Test func aServerThatStaysWithTheOldProtocolIsRefused() {
        var handshake = Handshake(configuration(), trackedPrefix: nil)
        #expect(handshake.take(.array([])).error?.code == .unsupportedServer)
    }

    @Test func aMissingDatabaseAndMissingTrackingHaveTheirReasons() {
        var handshake = Handshake(configuration { $0.database = 99 }, trackedPrefix: nil)
        #expect(handshake.take(Self.hello).isGoingOn)
        #expect(handshake.take(.error("ERR DB index is out of range")).error?.code == .invalidConfiguration)
        for (text, code) in [
            ("NOPERM this user has no permissions to run the 'client|tracking' command", RedisError.Code.notPermitted),
            ("ERR Unknown subcommand or wrong number of arguments for 'TRACKING'", .unsupportedServer),
        ] {
            var handshake = Handshake(configuration(), trackedPrefix: [1])
            #expect(handshake.take(Self.hello).isGoingOn)
            #expect(handshake.take(.error(text)).error?.code == code)
        }
    }
}

extension Handshake.Progress {
    fileprivate var isGoingOn: Bool { if case .goesOn = self { true } else { false } }
    fileprivate var isOver: Bool { if case .isOver = self { true } else { false } }
    fileprivate var error: RedisError? { if case .failed(let error) = self { error } else { nil } }
}
