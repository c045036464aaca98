// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The first commands on a new connection, and the meaning of their replies. Sends nothing itself.
struct Handshake: Sendable {
    private enum Step: Sendable {
        case hello, select, tracking
    }

    enum Progress {
        case goesOn
        case isOver
        case failed(RedisError)
    }

    /// The commands, which are sent all at once.
    let commands: [RedisCommand]
    private let steps: [Step]
    private var position = 0

    /// - Parameter trackedPrefix: The server is asked to tell of changes to keys that begin with this, made by others. `nil`: of none.
    init(_ configuration: RedisConfiguration, trackedPrefix: [UInt8]?) {
        var commands = [Self.hello(configuration)]
        var steps = [Step.hello]
        if configuration.database != 0 {
            commands.append(RedisCommand("SELECT", [.integer(Int64(configuration.database))]))
            steps.append(.select)
        }
        if let trackedPrefix {
            commands.append(
                RedisCommand(
                    "CLIENT",
                    [.string("TRACKING"), .string("ON"), .string("BCAST"), .string("PREFIX"), .bytes(trackedPrefix), .string("NOLOOP")]
                )
            )
            steps.append(.tracking)
        }
        self.commands = commands
        self.steps = steps
    }

    /// See <https://redis.io/docs/latest/commands/hello/>.
    private static func hello(_ configuration: RedisConfiguration) -> RedisCommand {
        var arguments: [RedisCommand.Argument] = [.integer(3)]
        if let password = configuration.password {
            arguments += [.string("AUTH"), .string(configuration.user ?? "default"), .string(password)]
        }
        if let name = configuration.clientName, !name.isEmpty {
            arguments += [.string("SETNAME"), .string(name)]
        }
        return RedisCommand("HELLO", arguments)
    }

    /// Takes the next answer.
    mutating func take(_ reply: RESPValue) -> Progress {
        // A refused step has ended the connection, but not yet what the server has sent.
        guard position < steps.count else {
            return .failed(RedisError(.protocolViolation, "The server has sent more replies than there were commands."))
        }
        let step = steps[position]
        position += 1
        if case .error(let text) = reply { return .failed(Self.error(step, text)) }
        if case .hello = step {
            guard case .map = reply else {
                return .failed(RedisError(.unsupportedServer, "The server has not changed to RESP3 when asked to. Redis 6 or Valkey is needed."))
            }
        }
        return position == steps.count ? .isOver : .goesOn
    }

    private static func error(_ step: Step, _ text: String) -> RedisError {
        let error = RedisError(serverError: text)
        switch step {
        case .hello:
            if text.hasPrefix("ERR unknown command") {
                return RedisError(.unsupportedServer, "The server does not know HELLO. Redis 6 or Valkey is needed.")
            }
            if text.hasPrefix("NOAUTH") { return RedisError(.authenticationFailed, "The server asks for a password (NOAUTH).") }
            if error.code == .serverError { return RedisError(.serverError, "The server has refused the login (HELLO).") }
            return error
        case .select:
            guard error.code == .serverError else { return error }
            return RedisError(.invalidConfiguration, "The server does not have the database (SELECT).")
        case .tracking:
            if error.code == .notPermitted { return RedisError(.notPermitted, "The user may not use CLIENT TRACKING on the server (NOPERM).") }
            guard error.code == .serverError else { return error }
            return RedisError(.unsupportedServer, "The server has refused CLIENT TRACKING. Redis 6 or Valkey is needed.")
        }
    }
}
