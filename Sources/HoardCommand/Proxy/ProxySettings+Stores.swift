// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Hoard
internal import HoardDisk
internal import HoardProxy
internal import HoardRedis
internal import Logging

/// The stores that keep responses beyond memory: a directory, or a server that several proxies share, or none.
extension ProxySettings {
    /// Opens the stores. A server that is not there is no error: it is used when it comes.
    ///
    /// - Returns: The stores, nearest first, and where they are in words.
    func openStores(defaultDirectory: String, logger: Logger) throws -> (stores: [any RecordStore], place: String) {
        if let server = try redisConfiguration() {
            var configuration = RedisStore.Configuration()
            configuration.keyPrefix = redis.keyPrefix
            let store = try RedisStore(connectingTo: server, configuration: configuration, logger: logger)
            return ([store], "shared through \(redis.url?.printed ?? "")")
        }
        guard diskByteCount > 0 else { return ([], "in memory only") }
        let path = cache.directory ?? defaultDirectory
        var configuration = DiskStore.Configuration(
            directory: path,
            maximumCount: cache.diskEntryCount,
            maximumBytes: diskByteCount,
            invalidationInterval: Self.invalidationInterval
        ) { event in
            logger.warning("\(event)", metadata: ["store": "disk"])
        }
        configuration.pageCacheByteCount = Self.pageCacheByteCount
        return ([try DiskStore(configuration: configuration)], "in \(printable(path))")
    }

    /// Enough for the pages that lead to all others; the system's cache of files has the rest.
    private static let pageCacheByteCount = 2 << 20

    /// The time between two checks for changes that other processes have made in its directory. Each check takes a core from the event loops for a moment, which the
    /// slowest of a hundred requests would notice if it came often.
    private static let invalidationInterval = Duration.milliseconds(250)

    /// Whether responses are kept on disk.
    var keepsOnDisk: Bool { redis.url == nil && diskByteCount > 0 }

    /// The names of the settings that the command uses itself and that are different, but take effect only when the proxy is started anew.
    func commandSettingsThatNeedRestart(after first: Self) -> [String] {
        var names: [String] = []
        func compare<Value: Equatable>(_ name: String, _ value: (Self) -> Value) {
            if value(self) != value(first) { names.append(name) }
        }
        compare("cache.directory") { $0.cache.directory }
        // Another size takes effect at once, but a store has to be there.
        compare("cache.disk") { $0.diskByteCount > 0 }
        compare("cache.disk-entries") { $0.cache.diskEntryCount }
        compare("redis") { $0.redis }
        compare("grace-period") { $0.gracePeriod }
        compare("log-level") { $0.logLevel }
        return names
    }

    /// Where the server is, and how it is spoken to; `nil` if there is none to be used. Reads the file of the password.
    ///
    /// - Throws: A sentence without the password.
    func redisConfiguration() throws -> RedisConfiguration? {
        guard let url = redis.url else { return nil }
        do {
            // A user whose password comes from elsewhere.
            var configuration = try RedisConfiguration(url: url.hasPassword ? url.secretText : url.withoutLogin)
            if !url.hasPassword, let user = url.user { configuration.user = user.removingPercentEncoding ?? user }
            configuration.commandTimeout = redis.commandTimeout
            configuration.tls?.additionalTrustRootsPath = redis.trustRoots
            configuration.clientName = "hoard-proxy"
            if let path = redis.passwordFile {
                configuration.password = try RedisPassword.read(path)
            } else if let redisPassword {
                configuration.password = redisPassword
            }
            return configuration
        } catch let error as RedisError {
            throw ProxyCommandError("--redis: \(error.message)")
        }
    }
}

/// The file with the password for Redis.
enum RedisPassword {
    /// - Throws: ``ProxyCommandError`` if the file cannot be read, or holds no password.
    static func read(_ path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path), data.count <= 4_096, var text = String(data: data, encoding: .utf8) else {
            throw ProxyCommandError("The file of the Redis password \(path) cannot be read, or is no file of a password.")
        }
        if text.hasSuffix("\r\n") || text.hasSuffix("\n") { text.removeLast() }
        guard !text.isEmpty, !text.contains(where: \.isNewline) else {
            throw ProxyCommandError("The file of the Redis password \(path) must hold the password, on one line.")
        }
        if try AdminToken.isReadableByOthers(path) {
            Terminal.say("hoard: other users of this machine can read the Redis password in \(printable(path)); chmod 600 keeps it from them")
        }
        return text
    }
}
