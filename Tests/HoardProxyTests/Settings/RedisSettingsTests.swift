// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTP
import Testing

@testable import HoardProxy

/// The settings of the shared tier of proxies: their sources, their contradictions, and the secrecy of the password.
@Suite struct RedisSettingsTests {
    private static let secret = "s3cret"

    private func settings(_ text: String, environment: [String: String] = [:], flags: [(String, String)] = []) throws -> ProxySettings {
        try ProxySettings(
            .init(file: ("hoard.yaml", "origin: http://a\n" + text), environment: environment, flags: flags.map { (name: $0.0, values: [$0.1]) })
        )
    }

    /// The error of the settings, or nothing.
    private func complaint(_ text: String, environment: [String: String] = [:], flags: [(String, String)] = []) -> String {
        do {
            _ = try settings(text, environment: environment, flags: flags).configuration()
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test func everyOptionIsReadFromAFile() throws {
        let settings = try settings(
            """
            redis:
              url: rediss://app@cache.internal:6380/2
              password-file: /etc/hoard/redis-password
              trust-roots: /etc/hoard/ca.pem
              key-prefix: shop:eu
              timeout: 50ms
              collapse: yes
            """
        )
        let redis = settings.redis
        #expect(redis.url?.printed == "rediss://app@cache.internal:6380/2" && redis.url?.isEncrypted == true && redis.url?.hasPassword == false)
        #expect(redis.passwordFile == "/etc/hoard/redis-password" && redis.trustRoots == "/etc/hoard/ca.pem")
        #expect(redis.keyPrefix == "shop:eu" && redis.commandTimeout == .milliseconds(50) && redis.collapses)
        let cache = try settings.configuration().cache
        #expect(cache.maximumObjectBytes == 64 << 20 && cache.collapsesAcrossCaches)
    }

    @Test func flagsComeBeforeTheEnvironmentAndThatBeforeTheFile() throws {
        let file = "redis: {url: 'redis://file', key-prefix: a}"
        let environment = ["HOARD_PROXY_REDIS": "redis://environment", "HOARD_PROXY_REDIS_KEY_PREFIX": "b"]
        #expect(try settings(file).redis.url?.printed == "redis://file")
        #expect(try settings(file, environment: environment).redis.url?.printed == "redis://environment")
        let all = try settings(file, environment: environment, flags: [("redis", "redis://flag")])
        #expect(all.redis.url?.printed == "redis://flag" && all.redis.keyPrefix == "b")
    }

    @Test(arguments: [
        "redis://h", "redis://h:6379/0", "REDIS://h", "rediss://h", "redis+cluster://h:1,i:2", "rediss+cluster://h", "unix:///run/redis.sock",
        "redis+unix:///run/r.sock?db=1",
        "redis://[::1]:6379", "valkey://h", "valkeys://h", "valkey+cluster://h,i",
    ])
    func urlsOfRedisAreTaken(url: String) throws {
        let redis = try settings("", flags: [("redis", url)]).redis
        #expect(redis.url?.secretText == url && redis.url?.hasPassword == false)
    }

    @Test(arguments: ["h:6379", "http://h", "redis:h", "redis:/h", "memcached://h", "redis://a b", "redis://h\u{7}", "redis://ä"])
    func whatIsNoURLOfARedisIsRefusedAndNotRepeated(url: String) {
        let complaint = complaint("", flags: [("redis", url)])
        #expect(complaint.contains("--redis: This is no URL of a Redis"))
        #expect(!complaint.contains(url))
    }

    // MARK: Disk

    @Test func nothingIsKeptOnDiskWithRedis() throws {
        #expect(try settings("").diskByteCount == 1 << 30)
        #expect(try settings("redis: {url: redis://h}").diskByteCount == 0)
        #expect(try settings("redis: {url: redis://h}\ncache: {disk: 0}").diskByteCount == 0)
        #expect(try settings("redis: {url: no}").diskByteCount == 1 << 30)
    }

    @Test func aDiskAndRedisContradictEachOther() {
        let complaint = complaint("redis: {url: redis://h}\ncache: {disk: 1G}")
        #expect(complaint.contains("--redis (redis.url) and --max-bytes (cache.disk) contradict each other"))
        #expect(self.complaint("", environment: ["HOARD_PROXY_MAX_BYTES": "1"], flags: [("redis", "redis://h")]).contains("contradict each other"))
    }

    // MARK: Other contradictions

    @Test(arguments: ["password-file: p", "trust-roots: t", "collapse: yes"]) func anOptionOfNoRedisIsRefused(option: String) {
        let name = option.prefix { $0 != ":" }
        #expect(complaint("redis: {\(option)}").contains("There is an option --redis-\(name), but no Redis: give --redis URL too."))
    }

    @Test func trustRootsTakeEncryption() {
        #expect(complaint("redis: {url: redis://h, trust-roots: t}").contains("not a rediss one"))
        #expect(complaint("redis: {url: rediss://h, trust-roots: t}") == "")
    }

    @Test(arguments: ["", "a b", "a{b}", "a\u{7}", "ä", String(repeating: "a", count: 65)]) func whatIsNoPrefixOfKeysIsRefused(prefix: String) {
        #expect(complaint("", flags: [("redis", "redis://h"), ("redis-key-prefix", prefix)]).contains("is no prefix of keys"))
    }

    @Test func aTimeoutOfNothingIsRefused() {
        #expect(complaint("redis: {url: redis://h, timeout: 0}") != "")
    }

    // MARK: Passwords

    @Test(arguments: [
        "redis://:s3cret@h", "redis://user:s3cret@h:1/0", "rediss://user:s3cret@@h", "redis://user:s3c/s3cret@h", "unix://:s3cret@/run/r.sock",
    ])
    func aPasswordMayBeInTheURLOnlyInTheEnvironment(url: String) throws {
        for complaint in [complaint("redis: {url: '\(url)'}"), complaint("", flags: [("redis", url)])] {
            #expect(complaint.contains("A password does not belong here, where others can read it"))
            #expect(!complaint.contains(Self.secret))
        }
        let settings = try settings("", environment: ["HOARD_PROXY_REDIS": url])
        #expect(settings.redis.url?.secretText == url && settings.redis.url?.hasPassword == true)
        #expect(!settings.yaml.contains(Self.secret) && !"\(String(describing: settings.redis.url))".contains(Self.secret))
        #expect(settings.yaml.contains("url: \"\(url.prefix { $0 != ":" })://"))
    }

    @Test func aURLInTheWrongPlaceIsNotRepeated() {
        let complaint = complaint("redis: redis://user:s3cret@h")
        #expect(complaint.contains("options are expected"))
        #expect(!complaint.contains(Self.secret))
    }

    @Test func aPasswordOfItsOwnComesFromTheEnvironment() throws {
        let settings = try settings("redis: {url: redis://h}", environment: ["HOARD_PROXY_REDIS_PASSWORD": Self.secret])
        #expect(settings.redisPassword == Self.secret)
        #expect(!settings.yaml.contains(Self.secret))
        #expect(
            ProxySettings.misspelledVariables(in: ["HOARD_PROXY_REDIS_PASSWORD": "", "HOARD_PROXY_REDIS_PASWORD": ""]).map(\.meant) == [
                "HOARD_PROXY_REDIS_PASSWORD"
            ]
        )
    }

    @Test func passwordsFromTwoPlacesContradictEachOther() {
        let inURL = ["HOARD_PROXY_REDIS": "redis://:s3cret@h"]
        let own = ["HOARD_PROXY_REDIS_PASSWORD": Self.secret]
        let file = "redis: {url: redis://h, password-file: p}"
        for complaint in [
            complaint("", environment: inURL.merging(own) { $1 }), complaint(file, environment: own),
            complaint("redis: {password-file: p}", environment: inURL),
        ] {
            #expect(complaint.contains("The password for Redis is given twice"))
            #expect(!complaint.contains(Self.secret))
        }
    }

    @Test func aUserTakesAPasswordFromSomewhere() throws {
        #expect(complaint("redis: {url: redis://user@h}").contains("names a user, but there is no password"))
        #expect(complaint("redis: {url: redis://user@h, password-file: p}") == "")
        let url = try settings("redis: {url: redis://user@h:1/2, password-file: p}").redis.url
        #expect(url?.user == "user" && url?.withoutLogin == "redis://h:1/2")
    }

    @Test func whatIsPrintedCanBeReadAgain() throws {
        let first = try settings("redis: {url: 'redis://user@h:1/2', password-file: p, key-prefix: 'a:b', timeout: 1s, collapse: yes}")
        let again = try ProxySettings(.init(file: ("printed.yaml", first.yaml)))
        #expect(again.redis == first.redis)
        #expect(again.diskByteCount == 0 && again.yaml == first.yaml)
    }
}
