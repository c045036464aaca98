// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@_spi(Client) @testable import HoardRedis

@Suite struct RedisConfigurationTests {
    @Test func aURLNamesHostPortLoginAndDatabase() throws {
        let configuration = try RedisConfiguration(url: "redis://cache:s%40cr%3Aet@redis.example:6380/3")
        #expect(configuration.address == .tcp(host: "redis.example", port: 6380))
        #expect(configuration.user == "cache")
        #expect(configuration.password == "s@cr:et")
        #expect(configuration.database == 3)
        #expect(configuration.tls == nil)
        #expect(!configuration.isCluster)
    }

    @Test func whatIsLeftOutHasItsDefault() throws {
        let configuration = try RedisConfiguration(url: "REDIS://localhost")
        #expect(configuration.address == .tcp(host: "localhost", port: 6379))
        #expect(configuration.user == nil && configuration.password == nil && configuration.database == 0)
        #expect(try RedisConfiguration(url: "redis://localhost/").database == 0)
        #expect(try RedisConfiguration(url: "valkey://localhost").address == configuration.address)
    }

    @Test func aPasswordNeedsNoUser() throws {
        let configuration = try RedisConfiguration(url: "redis://:secret@h")
        #expect(configuration.user == nil && configuration.password == "secret")
        // Everything before the last sign belongs to the login.
        #expect(try RedisConfiguration(url: "redis://:a@b@h").password == "a@b")
        #expect(try RedisConfiguration(url: "redis://:a:b@h").password == "a:b")
    }

    @Test func anEncryptedConnectionIsVerified() throws {
        for scheme in ["rediss", "valkeys", "rediss+cluster"] {
            #expect(try RedisConfiguration(url: "\(scheme)://h").tls?.verification == .full)
        }
    }

    @Test func anIPv6AddressStandsInBrackets() throws {
        #expect(try RedisConfiguration(url: "redis://[::1]:7000/1").address == .tcp(host: "::1", port: 7000))
        #expect(try RedisConfiguration(url: "redis://:p@[2001:db8::2]").address == .tcp(host: "2001:db8::2", port: 6379))
    }

    @Test func aUnixSocketIsAPath() throws {
        let configuration = try RedisConfiguration(url: "unix:///run/redis%20cache/s.sock?db=2")
        #expect(configuration.address == .unix(path: "/run/redis cache/s.sock"))
        #expect(configuration.database == 2)
        // Only before the path does the sign end a login.
        for login in ["", ":p@", "u:p@"] {
            #expect(try RedisConfiguration(url: "unix://\(login)/run/redis@1/s@2?db=2").address == .unix(path: "/run/redis@1/s@2"))
        }
        let other = try RedisConfiguration(url: "redis+unix://u:p@/s")
        #expect(other.address == .unix(path: "/s"))
        #expect(other.user == "u" && other.password == "p")
    }

    @Test func aClusterHasSeveralHosts() throws {
        let configuration = try RedisConfiguration(url: "redis+cluster://:p@a:7000,b,[::1]:7002")
        #expect(configuration.isCluster)
        #expect(configuration.address == .tcp(host: "a", port: 7000))
        #expect(configuration.otherAddresses == [.tcp(host: "b", port: 6379), .tcp(host: "::1", port: 7002)])
        #expect(configuration.password == "p")
    }

    @Test(arguments: [
        "", "localhost:6379", "http://secret@h", "redis://", "redis://:secret@", "redis://h:0", "redis://h:65536", "redis://h:secret",
        "redis://h:+1", "redis://h:1:2", "redis://h/secret", "redis://h/-1", "redis://h/1/2", "redis://h/9999999999", "redis://[::1", "redis://[h]",
        "redis://[::1]secret", "redis://::1", "redis://h?secret", "redis://h#secret", "redis://secret%zz@h", "redis://%4@h", "redis://:%ff@h",
        "redis://secret@h", "redis://a,b", "redis://h ost", "redis://h%41", "redis://é", "redis+cluster://a,,b", "redis+cluster://a/1",
        "unix://secret", "unix://", "unix://u:p@secret/s", "unix:///p?db=x", "unix:///p?secret=1", "unix:///p#f", "unix:///p%00", "unix:///%",
    ])
    func anythingElseIsRefusedWithoutRepeatingIt(url: String) throws {
        let error = #expect(throws: RedisError.self) { try RedisConfiguration(url: url) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error.map { "\($0)" }?.contains("secret") == false)
    }

    @Test func theNameThatIsToldHasNoDotAtItsEndAndIsNoAddress() {
        #expect(Connector.encryptedName("redis.example") == "redis.example")
        #expect(Connector.encryptedName("redis.example.") == "redis.example")
        for address in ["127.0.0.1", "127.0.0.1.", "::1"] { #expect(Connector.encryptedName(address) == nil) }
    }

    @Test func printingShowsNeitherUserNorPassword() throws {
        let configuration = try RedisConfiguration(url: "rediss://someone:secret@[::1]:1/2")
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(configuration)", String(reflecting: configuration), dumped, String(describing: Optional(configuration))] {
            #expect(!text.contains("secret") && !text.contains("someone"))
        }
        #expect("\(configuration)" == "[::1]:1/2, encrypted")
    }
}

@Suite struct RedisErrorTests {
    @Test(arguments: [
        ("OOM command not allowed when used memory > 'maxmemory'.", RedisError.Code.outOfMemory), ("NOPERM this user", .notPermitted),
        ("NOAUTH Authentication required.", .authenticationFailed), ("WRONGPASS no", .authenticationFailed), ("LOADING", .notReady),
        ("MASTERDOWN Link", .notReady), ("CLUSTERDOWN Hash slot not served", .notReady), ("READONLY You can't write", .notReady),
        ("BUSY Redis is busy", .notReady), ("MISCONF Redis is configured", .notReady), ("WRONGTYPE Operation", .serverError),
        ("ERR secret", .serverError),
        ("", .serverError), ("secret", .serverError), ("SECRETSECRETSECRETSECRETSECRET", .serverError),
    ])
    func anErrorOfTheServerHasAKindAndIsNotRepeated(text: String, code: RedisError.Code) {
        let error = RedisError(serverError: text)
        #expect(error.code == code)
        #expect(!error.message.lowercased().contains("secret"))
    }
}
