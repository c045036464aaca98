// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension RedisConfiguration {
    /// Creates a configuration from a URL.
    ///
    /// - `redis://[user[:password]@]host[:port][/database]`, also with `redis://:password@host`; the port is 6379 unless given. `valkey://` is the same.
    /// - `rediss://…` (or `valkeys://…`): the same, encrypted, with the server's certificate verified.
    /// - `unix://[user[:password]@]/path[?db=database]`, or `redis+unix://…`: a Unix socket.
    /// - `redis+cluster://host[:port][,host[:port]…]` and `rediss+cluster://…`: nodes of a cluster.
    ///
    /// An IPv6 address stands in brackets. User, password and path may be percent-encoded; the host and the numbers may not.
    /// The form follows <https://www.iana.org/assignments/uri-schemes/prov/redis>.
    /// - Throws: ``RedisError`` of code ``RedisError/Code/invalidConfiguration``, whose text has no part of the URL in it.
    public init(url: String) throws(RedisError) {
        guard let separator = url.firstRange(of: "://") else { throw .badURL("It has to begin with redis://, rediss:// or unix://.") }
        let rest = url[separator.upperBound...]
        switch url[..<separator.lowerBound].lowercased() {
        case "redis", "valkey": try self.init(hosts: rest, isSecure: false, isCluster: false)
        case "rediss", "valkeys": try self.init(hosts: rest, isSecure: true, isCluster: false)
        case "redis+cluster", "valkey+cluster": try self.init(hosts: rest, isSecure: false, isCluster: true)
        case "rediss+cluster", "valkeys+cluster": try self.init(hosts: rest, isSecure: true, isCluster: true)
        case "unix", "redis+unix", "valkey+unix": try self.init(socket: rest)
        default: throw .badURL("It has to begin with redis://, rediss:// or unix://.")
        }
    }

    private init(hosts text: Substring, isSecure: Bool, isCluster: Bool) throws(RedisError) {
        guard !text.contains("#"), !text.contains("?") else { throw .badURL("It must have neither a query nor a fragment.") }
        let end = text.firstIndex(of: "/") ?? text.endIndex
        let (login, hosts) = Self.splitLogin(text[..<end])
        var addresses: [Address] = []
        for host in hosts.split(separator: ",", omittingEmptySubsequences: false) { addresses.append(try Self.parseHost(host)) }
        guard isCluster || addresses.count == 1, let first = addresses.first else { throw .badURL("Only a cluster has several hosts.") }
        self.init(address: first)
        self.otherAddresses = Array(addresses.dropFirst())
        self.isCluster = isCluster
        if isSecure { tls = TLS() }
        try readLogin(login)
        let path = text[end...].dropFirst()
        if !path.isEmpty { database = try Self.parseDatabase(path) }
        guard !isCluster || database == 0 else { throw .badURL("A cluster has only database 0.") }
    }

    private init(socket text: Substring) throws(RedisError) {
        guard !text.contains("#") else { throw .badURL("It must not have a fragment.") }
        let questionMark = text.firstIndex(of: "?") ?? text.endIndex
        // A path may have the character that ends a login.
        let start = text[..<questionMark].firstIndex(of: "/") ?? questionMark
        let (login, host) = Self.splitLogin(text[..<start])
        let decoded = try Self.decodePercents(text[start..<questionMark])
        guard host.isEmpty, decoded.hasPrefix("/"), !decoded.contains("\0") else {
            throw .badURL("The path of a Unix socket has to begin with a slash.")
        }
        self.init(address: .unix(path: decoded))
        try readLogin(login)
        for item in text[questionMark...].dropFirst().split(separator: "&") {
            guard item.hasPrefix("db=") else { throw .badURL("The query may only have db=NUMBER.") }
            database = try Self.parseDatabase(item.dropFirst(3))
        }
    }

    private mutating func readLogin(_ login: Substring?) throws(RedisError) {
        guard let login else { return }
        let colon = login.firstIndex(of: ":") ?? login.endIndex
        let user = try Self.decodePercents(login[..<colon])
        let password = try Self.decodePercents(login[colon...].dropFirst())
        if !user.isEmpty { self.user = user }
        if !password.isEmpty { self.password = password }
        guard self.user == nil || self.password != nil else { throw .badURL("A user has to have a password.") }
    }

    /// Returns the text before the last `@`, if there is one, and the text after it.
    private static func splitLogin(_ text: Substring) -> (login: Substring?, rest: Substring) {
        guard let at = text.lastIndex(of: "@") else { return (nil, text) }
        return (text[..<at], text[text.index(after: at)...])
    }

    private static func parseHost(_ text: Substring) throws(RedisError) -> Address {
        let host: Substring
        let port: Substring
        if text.hasPrefix("[") {
            guard let bracket = text.firstIndex(of: "]") else { throw .badURL("The bracket of an IPv6 address has no end.") }
            host = text[..<bracket].dropFirst()
            port = text[text.index(after: bracket)...]
            guard host.contains(":") else { throw .badURL("Only an IPv6 address stands in brackets.") }
            guard port.isEmpty || port.hasPrefix(":") else { throw .badURL("After the bracket of an IPv6 address only a port may follow.") }
        } else {
            let colon = text.firstIndex(of: ":") ?? text.endIndex
            host = text[..<colon]
            port = text[colon...]
        }
        guard !host.isEmpty else { throw .badURL("The host is missing.") }
        guard host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "%") }) else {
            throw .badURL("The host has a character that no host has.")
        }
        guard !port.isEmpty else { return .tcp(host: String(host), port: 6379) }
        guard let number = parseNumber(port.dropFirst()), (1...65_535).contains(number) else {
            throw .badURL("The port has to be a number from 1 to 65535.")
        }
        return .tcp(host: String(host), port: number)
    }

    private static func parseDatabase(_ text: Substring) throws(RedisError) -> Int {
        guard let number = parseNumber(text) else { throw .badURL("The database has to be a number.") }
        return number
    }

    /// Decimal digits and nothing else, at most nine.
    private static func parseNumber(_ text: Substring) -> Int? {
        guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return Int(text)
    }

    private static func decodePercents(_ text: Substring) throws(RedisError) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                throw .badURL("A percent sign has to be followed by two hexadecimal digits.")
            }
            bytes.append(high << 4 | low)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else { throw .badURL("What is percent-encoded has to be UTF-8.") }
        return decoded
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension RedisError {
    /// An unusable URL. The reason must not have any part of it in it: there may be a password.
    fileprivate static func badURL(_ reason: String) -> RedisError {
        RedisError(.invalidConfiguration, "The URL of the server cannot be used. \(reason)")
    }
}
