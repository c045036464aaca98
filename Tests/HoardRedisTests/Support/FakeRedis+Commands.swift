// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

@_spi(Client) @testable import HoardRedis

extension FakeRedis.State {
    /// The effect of a command on the values, and its reply.
    mutating func execute(_ command: RedisCommand, by connection: Int, at now: Int64) -> RESPValue {
        let name = "\(command.name)"
        commandCounts[name, default: 0] += 1
        if let error = failures.removeValue(forKey: name) { return .error(error) }
        expire(at: now)
        let key = command.key.map(\.fakeBytes) ?? []
        if ["GET", "GETRANGE", "STRLEN"].contains(name), values[key]?.isText == false {
            return .error("WRONGTYPE Operation against a key holding the wrong kind of value")
        }
        let arguments = command.arguments.map(\.fakeBytes)
        switch name {
        case "PING": return .simpleString("PONG")
        case "GET": return bulk(values[key]?.bytes)
        case "GETRANGE": return bulk(range(key, arguments[0].fakeInteger, arguments[1].fakeInteger))
        case "STRLEN": return .integer(.init(values[key]?.bytes.count ?? 0))
        case "EXISTS": return .integer(values[key] == nil ? 0 : 1)
        case "PTTL": return .integer(.init(restOfTime(of: key, at: now)))
        case "DBSIZE": return .integer(.init(values.count))
        case "DEL": return .integer(remove(key, by: connection) ? 1 : 0)
        case "SET": return set(key, arguments, by: connection, at: now)
        case "SCAN": return scan(command.leading.map(\.fakeBytes))
        case "EVALSHA", "EVAL":
            let text = command.leading[0].fakeText
            guard let script = RedisScript.all.first(where: { name == "EVAL" ? "\($0.source)" == text : "\($0.hash)" == text }) else {
                return .error("ERR no such script")
            }
            if name == "EVALSHA", !knownScripts.contains(text) { return .error("NOSCRIPT No matching script. Please use EVAL.") }
            knownScripts.insert("\(script.hash)")
            return run(script, key, arguments, at: now)
        default: return .error("ERR unknown command")
        }
    }

    private func bulk(_ bytes: [UInt8]?) -> RESPValue { bytes.map { .bulkString(ByteBuffer(bytes: $0)) } ?? .null }

    private func range(_ key: [UInt8], _ start: Int, _ end: Int) -> [UInt8] {
        let bytes = values[key]?.bytes ?? []
        return start < bytes.count && start <= end ? Array(bytes[start...min(end, bytes.count - 1)]) : []
    }

    private func restOfTime(of key: [UInt8], at now: Int64) -> Int64 {
        guard let value = values[key] else { return -2 }
        return value.expiration.map { ($0 - now) / 1_000_000 } ?? -1
    }

    /// - Parameter connection: `nil` for a script.
    private mutating func change(_ key: [UInt8], _ value: FakeRedis.Value?, by connection: Int?) {
        values[key] = value
        changed.updateValue(connection, forKey: key)
    }

    private mutating func remove(_ key: [UInt8], by connection: Int?) -> Bool {
        guard values[key] != nil else { return false }
        change(key, nil, by: connection)
        return true
    }

    private mutating func set(_ key: [UInt8], _ arguments: [[UInt8]], by connection: Int?, at now: Int64) -> RESPValue {
        let options = arguments.dropFirst().map { String(decoding: $0, as: UTF8.self) }
        if options.contains("NX"), values[key] != nil { return .null }
        var expiration: Int64?
        if let index = options.firstIndex(of: "PX"), let milliseconds = Int64(options[index + 1]) {
            guard milliseconds > 0 else { return .error("ERR invalid expire time in 'set' command") }
            expiration = now + milliseconds * 1_000_000
        }
        if options.contains("KEEPTTL") { expiration = values[key]?.expiration }
        change(key, .init(bytes: arguments[0], expiration: expiration), by: connection)
        return .simpleString("OK")
    }

    /// In the order of the keys, twice as many keys as asked for at most, and now and then one twice.
    private mutating func scan(_ arguments: [[UInt8]]) -> RESPValue {
        let words = arguments.map { String(decoding: $0, as: UTF8.self) }
        let start = Int(words[0]) ?? 0
        let count = words.firstIndex(of: "COUNT").flatMap { Int(words[$0 + 1]) } ?? 10
        let sorted = values.keys.sorted { $0.fakeOrder < $1.fakeOrder }
        let found = sorted.filter { $0.fakeOrder >= start }
        let length = min(found.count, count + Int.random(in: 0...count, using: &generator))
        let next = length < found.count ? found[length].fakeOrder : 0
        // Keys of one place stay together.
        var keys = found.filter { next == 0 || $0.fakeOrder < next }
        if let again = sorted.first, Int.random(in: 0..<3, using: &generator) == 0 { keys.append(again) }
        if let index = words.firstIndex(of: "MATCH") {
            let prefix = arguments[index + 1].dropLast().filter { $0 != UInt8(ascii: "\\") }
            keys = keys.filter { $0.starts(with: prefix) }
        }
        return .array([bulk(Array(String(next).utf8)), .array(keys.map { bulk($0) })])
    }

    private mutating func run(_ script: RedisScript, _ key: [UInt8], _ arguments: [[UInt8]], at now: Int64) -> RESPValue {
        let version = range(key, 8, 15).count < 8 ? [] : range(key, 8, 15)
        switch "\(script.hash)" {
        case "\(RedisScript.replace.hash)":
            guard version == arguments[0] else { return .integer(0) }
            let rest = arguments[2].fakeInteger
            change(key, .init(bytes: arguments[1], expiration: rest == 0 ? nil : now + Int64(rest) * 1_000_000), by: nil)
        case "\(RedisScript.overwriteBeginning.hash)":
            guard version == arguments[0], let old = values[key] else { return .integer(0) }
            change(key, .init(bytes: arguments[1] + old.bytes.dropFirst(arguments[1].count), expiration: old.expiration), by: nil)
        case "\(RedisScript.exchange.hash)":
            guard let old = values[key], old.bytes == arguments[0] else { return .integer(0) }
            change(key, .init(bytes: arguments[1], expiration: old.expiration), by: nil)
        case "\(RedisScript.keep.hash)":
            let (rest, wanted) = (restOfTime(of: key, at: now), Int64(arguments[0].fakeInteger))
            guard rest >= 0, let old = values[key], wanted == 0 || rest < wanted else { return .integer(.init(rest)) }
            change(key, .init(bytes: old.bytes, expiration: wanted == 0 ? nil : now + wanted * 1_000_000), by: nil)
            return .integer(.init(wanted == 0 ? -1 : wanted))
        case "\(RedisScript.renewLease.hash)":
            guard let old = values[key], old.bytes == arguments[0] else { return .integer(0) }
            change(key, .init(bytes: old.bytes, expiration: now + Int64(arguments[1].fakeInteger) * 1_000_000), by: nil)
        case "\(RedisScript.releaseLease.hash)":
            guard values[key]?.bytes == arguments[0] else { return .integer(0) }
            return .integer(remove(key, by: nil) ? 1 : 0)
        default: return .error("ERR no such script")
        }
        return .integer(1)
    }
}

extension RedisCommand.Argument {
    var fakeBytes: [UInt8] {
        switch self {
        case .string(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        case .data(let data): Array(data)
        case .buffer(let buffer): Array(buffer.readableBytesView)
        case .integer(let number): Array(String(number).utf8)
        }
    }

    var fakeText: String { String(decoding: fakeBytes, as: UTF8.self) }
}

extension [UInt8] {
    var fakeInteger: Int { Int(String(decoding: self, as: UTF8.self)) ?? 0 }

    /// A place in the server's table of keys, from 1 to 100,000.
    var fakeOrder: Int { reduce(7) { ($0 &* 31 &+ Int($1)) & 0xFFFF_FFFF } % 100_000 + 1 }
}
