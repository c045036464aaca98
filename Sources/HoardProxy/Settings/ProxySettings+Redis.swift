// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension ProxySettings {
    /// The Redis or Valkey through which several proxies share their stored responses.
    package struct Redis: Sendable, Hashable {
        /// `nil`: nothing is shared.
        package var url: RedisURL?
        package var passwordFile: String?
        package var trustRoots: String?
        package var keyPrefix = "hoard"
        package var commandTimeout = Duration.milliseconds(500)
        package var collapses = false
    }

    static let redisSchema: [Setting<Redis>] = [
        .value(
            "url",
            .url,
            \.url,
            flag: "redis",
            "A Redis or Valkey through which all proxies that name it share what they store, and what is purged: redis://user@host:6379/0, rediss:// with encryption, redis+cluster://host:6379,host:6379 for a cluster, or unix:///path. Only in the environment may a password be in it. Nothing is kept on disk then. Without it each proxy is on its own."
        ) { value throws(SettingProblem) in
            try value.isAbsent ? nil : value.redisURL()
        } write: {
            $0.map { .scalar($0.printed) }
        },
        .text(
            "password-file",
            \.passwordFile,
            flag: "redis-password-file",
            "A file with the password for it. The password itself may be given in the environment as HOARD_PROXY_REDIS_PASSWORD."
        ),
        .text(
            "trust-roots",
            \.trustRoots,
            flag: "redis-trust-roots",
            "A file of certificates in PEM form that are trusted for it as well as those of the system."
        ),
        .value(
            "key-prefix",
            .text,
            \.keyPrefix,
            flag: "redis-key-prefix",
            "What the names of all keys there begin with. Proxies share what is stored under the same prefix only."
        ) { value throws(SettingProblem) in
            try value.redisKeyPrefix()
        } write: {
            .scalar($0)
        },
        .duration(
            "timeout",
            \.commandTimeout,
            flag: "redis-timeout",
            isPositive: true,
            "How long it may take for a reply. A request that waits so long in vain goes on without it."
        ),
        .yesNo(
            "collapse",
            \.collapses,
            flag: "redis-collapse",
            "Whether only one of the proxies asks the origin for what none of them has. The others wait for it, as requests to one proxy wait for each other (collapse-timeout)."
        ),
    ]

    /// The variable that holds the password for Redis.
    package static let redisPasswordName = "HOARD_PROXY_REDIS_PASSWORD"

    /// The contradictions among the settings of Redis, and between them and others.
    var contradictionsOfRedis: [SettingProblem] {
        var found: [SettingProblem] = []
        guard let url = redis.url else {
            let others = [("password-file", redis.passwordFile != nil), ("trust-roots", redis.trustRoots != nil), ("collapse", redis.collapses)]
            for (name, isSet) in others where isSet {
                found.append(.init(nil, "There is an option --redis-\(name), but no Redis: give --redis URL too."))
            }
            return found
        }
        if cache.givenDiskByteCount ?? 0 > 0 {
            found.append(
                .init(
                    nil,
                    "--redis (redis.url) and --max-bytes (cache.disk) contradict each other: what others purge while this proxy is down, or cannot reach Redis, would stay on its disk. Leave one of them out."
                )
            )
        }
        if redis.trustRoots != nil, !url.isEncrypted {
            found.append(.init(nil, "There is --redis-trust-roots, but the URL of --redis is not a rediss one, so nothing is encrypted."))
        }
        if url.user != nil, !url.hasPassword, redis.passwordFile == nil, redisPassword == nil {
            found.append(
                .init(nil, "The URL of --redis names a user, but there is no password: give --redis-password-file, or \(Self.redisPasswordName).")
            )
        }
        let passwords = [
            (name: "the URL of --redis", isGiven: url.hasPassword), ("--redis-password-file", redis.passwordFile != nil),
            (Self.redisPasswordName, redisPassword != nil),
        ].filter(\.isGiven).map(\.name)
        if passwords.count > 1 {
            found.append(.init(nil, "The password for Redis is given twice: by \(passwords.joined(separator: " and by "))."))
        }
        return found
    }
}

/// The URL of a Redis, of which only the password is a secret.
package struct RedisURL: Sendable, Hashable, CustomStringConvertible {
    /// As it was given.
    package let secretText: String
    /// The same without the password.
    package let printed: String
    /// The same without the user, too.
    package let withoutLogin: String
    /// The user's name, as it is in the URL; `nil`: there is none.
    package let user: String?
    package let hasPassword: Bool
    package let isEncrypted: Bool

    package var description: String { printed }

    private static let schemes: Set = [
        "redis", "rediss", "redis+cluster", "rediss+cluster", "unix", "redis+unix", "valkey", "valkeys", "valkey+cluster", "valkeys+cluster",
        "valkey+unix",
    ]

    /// - Returns: `nil` if it begins with none of the schemes.
    init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
        let scheme = text[..<colon].lowercased()
        guard Self.schemes.contains(scheme), text.utf8.count <= 2_048, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        let rest = text.index(colon, offsetBy: 3)
        // The text before the last @ is the user's. A slash in a password has to be encoded; even if it is not, the password is not shown.
        let at = text[rest...].lastIndex(of: "@")
        let login = text[rest..<(at ?? rest)]
        let place = at.map { text[text.index(after: $0)...] } ?? text[rest...]
        let name = login.prefix { $0 != ":" }
        secretText = text
        isEncrypted = scheme.hasPrefix("rediss") || scheme.hasPrefix("valkeys")
        hasPassword = name.endIndex < login.endIndex
        user = name.isEmpty ? nil : String(name)
        withoutLogin = "\(scheme)://\(place)"
        printed = name.isEmpty ? withoutLogin : "\(scheme)://\(name)@\(place)"
    }
}

extension WrittenValue {
    func redisURL() throws(SettingProblem) -> RedisURL {
        // Messages do not repeat a wrong value: it may hold a password.
        guard let url = RedisURL(try text("a URL")) else {
            throw problem("This is no URL of a Redis; write redis://host:6379, rediss://host:6379 or unix:///path/of/a/socket.")
        }
        if url.hasPassword {
            guard case .environment = place else {
                throw problem(
                    "A password does not belong here, where others can read it: give --redis-password-file, or \(ProxySettings.redisPasswordName)."
                )
            }
        }
        return url
    }

    func redisKeyPrefix() throws(SettingProblem) -> String {
        let text = try text("a text")
        let isAllowed = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "/"): true
            default: false
            }
        }
        guard (1...64).contains(text.utf8.count), isAllowed else {
            throw problem("“\(text)” is no prefix of keys; it has 1 to 64 letters, digits and “-._:/” only.")
        }
        return text
    }
}
