// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A script for a step that the server has no command for. Each concerns one key, so that it works in a cluster.
///
/// A script is called by its SHA-1, and sent whole if the server does not know it. The server tells the caller's own connection too of the changes
/// that a script makes, although the connection has asked not to hear of its own changes (`NOLOOP`): see ``OwnWrites``.
struct RedisScript: Sendable {
    let source: StaticString
    /// In hexadecimal digits. A test computes it.
    let hash: StaticString

    /// Writes a record if the key has a given version. Arguments: the version's bytes, the value, its time to live in milliseconds or 0 for none.
    /// Returns 1 or 0. Another kind of value than a text has no version.
    static let replace = RedisScript(
        source: """
            local v = redis.pcall('GETRANGE', KEYS[1], 8, 15)
            if type(v) ~= 'string' or #v < 8 then v = '' end
            if v ~= ARGV[1] then return 0 end
            if ARGV[3] == '0' then redis.call('SET', KEYS[1], ARGV[2]) else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
            return 1
            """,
        hash: "f5b8a06f7cfdb9ad2a7fdd75b4e5153e92328ea4"
    )

    /// Writes over the beginning of a record if the key has a given version. Arguments: the version's bytes, the beginning. Its time to live stays.
    /// Returns 1 or 0.
    static let overwriteBeginning = RedisScript(
        source: """
            if redis.call('GETRANGE', KEYS[1], 8, 15) ~= ARGV[1] then return 0 end
            redis.call('SETRANGE', KEYS[1], 0, ARGV[2])
            return 1
            """,
        hash: "19336407c0e6ce7c99f74a495f7376406bb853e3"
    )

    /// Replaces a whole value by another if it has not changed. Arguments: the old value, the new one. Its time to live
    /// stays. Returns 1 or 0.
    static let exchange = RedisScript(
        source: """
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
            redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
            return 1
            """,
        hash: "cbb26cf8d28e7f2199ca535c3ae46d4b2ef23f28"
    )

    /// Keeps a key for at least so long. Argument: milliseconds, or 0 for ever. Returns the milliseconds it has left then, -1 for ever, -2 if there
    /// is no key.
    static let keep = RedisScript(
        source: """
            local t = redis.call('PTTL', KEYS[1])
            if t < 0 then return t end
            if ARGV[1] == '0' then
              redis.call('PERSIST', KEYS[1])
              return -1
            end
            if t < tonumber(ARGV[1]) then
              redis.call('PEXPIRE', KEYS[1], ARGV[1])
              return tonumber(ARGV[1])
            end
            return t
            """,
        hash: "beec76ed6de3616be3e2d0822d0ff32308c8093b"
    )

    /// Holds a lease for longer. Arguments: its token, milliseconds. Returns 1 or 0.
    static let renewLease = RedisScript(
        source: """
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
            return redis.call('PEXPIRE', KEYS[1], ARGV[2])
            """,
        hash: "2deae1ef2395a47a688aa388ceff88bd1c320ba4"
    )

    /// Gives a lease back. Argument: its token. Returns 1 or 0.
    static let releaseLease = RedisScript(
        source: """
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
            return redis.call('DEL', KEYS[1])
            """,
        hash: "708b61c8defb6a8962235c40975ef70c7ff1a0e0"
    )

    static var all: [RedisScript] { [replace, overwriteBeginning, exchange, keep, renewLease, releaseLease] }
}

extension RedisScript {
    /// Calls the script by its hash.
    func command(_ key: [UInt8], _ arguments: [RedisCommand.Argument]) -> RedisCommand {
        RedisCommand("EVALSHA", leading: [.string("\(hash)"), .integer(1)], key: .bytes(key), arguments)
    }

    /// Calls the script with its text, after which the server knows it.
    func completeCommand(_ key: [UInt8], _ arguments: [RedisCommand.Argument]) -> RedisCommand {
        RedisCommand("EVAL", leading: [.string("\(source)"), .integer(1)], key: .bytes(key), arguments)
    }
}
