// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import NIOHPACK
import Testing

@testable import HoardProxy

@Suite(.timeLimit(.minutes(2))) struct BasicAuthenticationTests {
    /// Hashes that cost next to nothing.
    private static let cheap = PasswordHash.Cost(logRounds: 10, blockSize: 1)

    private static func line(_ name: String, _ password: String) throws -> String {
        "\(name):\(try PasswordHash(of: password, salt: Array("saltsalt".utf8), cheap))"
    }

    private static func withFile(_ text: String, _ body: (String) async throws -> Void) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "hoard-passwords-\(UInt64.random(in: .min ... .max))")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await body(file.path(percentEncoded: false))
    }

    private static func field(_ name: String, _ password: String, scheme: String = "Basic") -> String {
        "Authorization: \(scheme) \(Data("\(name):\(password)".utf8).base64EncodedString())\r\n"
    }

    // MARK: Hashes

    /// The example of RFC 7914 §12.
    @Test func hashIsScrypt() throws {
        let text =
            "$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw"
        let hash = try #require(PasswordHash(text))
        #expect(hash.description == text)
        #expect(hash.isOf("pleaseletmein") && !hash.isOf("pleaseletmeout") && !hash.isOf(""))
    }

    @Test func everyHashHasASaltOfItsOwn() throws {
        let (one, other) = (try PasswordHash(of: "geheim"), try PasswordHash(of: "geheim"))
        #expect(one.description != other.description && one.description.hasPrefix("$scrypt$ln=15,r=8,p=1$"))
        #expect(PasswordHash(one.description) == one && one.isOf("geheim") && !one.isOf("Geheim"))
    }

    @Test(arguments: [
        "", "x", "$scrypt$", "$scrypt$ln=15,r=8,p=1$U29kaXVtQ2hsb3JpZGU$", "$bcrypt$ln=15,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046w",
        "$scrypt$ln=18,r=15,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046w", "$scrypt$ln=31,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046w",
        "$scrypt$ln=20,r=16,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046w",
        "$scrypt$ln=15,r=0,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046w", "$scrypt$ln=15,r=8,p=1,x=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046w",
        "$scrypt$ln=15,r=8,p=1$U29k$cCO9yzr9c0hGHAbNgf046w", "$scrypt$ln=15,r=8,p=1$U29kaXVtQ2hsb3JpZGU=$cCO9yzr9c0hGHAbNgf046w",
        "$scrypt$ln=15,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046w$",
    ])
    func whatIsNoHashOrCostsTooMuchIsRefused(_ text: String) {
        #expect(PasswordHash(text) == nil)
    }

    // MARK: Files

    @Test(arguments: [
        ("alice", ":1: Here a name, a colon and a hash are expected"), ("# nobody\n\n", "has no names"), (":x", ":1: Here a name"),
        ("# a\nalice:plain", ":2: What stands behind the name is no hash"),
    ])
    func whatIsWrongWithAFileIsSaidWithItsLine(_ text: String, _ words: String) async throws {
        try await Self.withFile(text) { path in
            let error = try #require(throws: ProxyError.self) { try BasicAuthentication(path: path, realm: "r") }
            #expect(error.message.contains(words), "\(error.message)")
        }
    }

    @Test func nameThatStandsTwiceIsSaid() async throws {
        try await Self.withFile("\(Self.line("a", "1"))\n\(Self.line("a", "2"))\n") { path in
            let error = try #require(throws: ProxyError.self) { try BasicAuthentication(path: path, realm: "r") }
            #expect(error.message.contains(":2: The name stands twice"), "\(error.message)")
        }
    }

    // MARK: In the proxy

    /// Such a character and the colon before it are one character of Swift.
    @Test func aPasswordMayBeginWithACombiningCharacter() async throws {
        try await Self.withFile(Self.line("alice", "\u{301}geheim")) { path in
            let authentication = try BasicAuthentication(path: path, realm: "r")
            var request = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/")
            request.headerFields[.authorization] = "Basic \(Data("alice:\u{301}geheim".utf8).base64EncodedString())"
            guard case .unknown(let credentials) = authentication.begin(request) else { throw ProxyError(.invalidConfiguration, "refused") }
            #expect(credentials == .init(name: "alice", password: "\u{301}geheim"))
            #expect(await authentication.verdict(on: credentials) == .user("alice"))
        }
    }

    @Test func credentialsAreReadUpToTheLengthThatTheCommandAllows() async throws {
        let authentication = BasicAuthentication([:], realm: "r")
        for (count, isRead) in [(PasswordHash.maximumCredentialsByteCount, true), (PasswordHash.maximumCredentialsByteCount + 1, false)] {
            var request = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/")
            request.headerFields[.authorization] = "Basic \(Data("a:\(String(repeating: "x", count: count - 2))".utf8).base64EncodedString())"
            let isUnknown = if case .unknown = authentication.begin(request) { true } else { false }
            #expect(isUnknown == isRead, "\(count)")
        }
    }

    private static let routes = """
        origin: ORIGIN
        routes:
          - path: /open
          - password-file: FILE
            realm: The "staff" only
            request-set: ["X-User: {user}"]
            response-set: ["X-Name: {user}"]
        """

    @Test func onlyThoseWhoAreKnownAreLetIn() async throws {
        let lines = "# staff\n\(try Self.line("alice", "geheim"))\r\n\(try Self.line("bob", "pass:word ü"))\n"
        try await Self.withFile(lines) { path in
            var fields: HTTPFields = [.cacheControl: "public, s-maxage=600, max-age=60", .cdnCacheControl: "max-age=600"]
            fields[try #require(HTTPField.Name("Example-Cache-Control"))] = "public, max-age=600"
            try await RuledSite.with(Self.routes.replacing("FILE", with: path), fields: fields) { site in
                for fields in [
                    "", Self.field("alice", "falsch"), Self.field("eve", "geheim"), Self.field("alice", "geheim", scheme: "Bearer"),
                    Self.field("alice", ""),
                    "Authorization: Basic %%%\r\n", "Authorization: Basic\r\n", Self.field("alice", "geheim") + Self.field("alice", "geheim"),
                    "Proxy-\(Self.field("alice", "geheim"))",
                ] {
                    let response = try await site.get("/page", fields)
                    #expect(
                        response.status == 401 && response["www-authenticate"] == "Basic realm=\"The \\\"staff\\\" only\", charset=\"UTF-8\"",
                        "\(fields)"
                    )
                }
                #expect(site.asked.value.isEmpty)
                for _ in 1...2 {
                    let alice = try await site.get("/page", Self.field("alice", "geheim", scheme: "bAsIc"))
                    #expect(alice.status == 200 && alice["x-name"] == "alice")
                    // Caches in front know of no password.
                    #expect(alice["cache-control"] == "private, max-age=60" && alice["cdn-cache-control"] == nil)
                    #expect(alice["example-cache-control"] == nil)
                    let bob = try await site.get("/page", Self.field("bob", "pass:word ü"))
                    #expect(bob.status == 200 && bob["x-name"] == "bob")
                }
                // The origin gets no password, and each user has the response that was stored for this user.
                let name = try #require(HTTPField.Name("X-User"))
                #expect(site.asked.value.map { $0.headerFields[name] } == ["alice", "bob"])
                #expect(site.asked.value.allSatisfy { $0.headerFields[.authorization] == nil })
                #expect(try await site.get("/page").status == 401)
                #expect(try await site.get("/open").status == 200)
            }
        }
    }

    @Test func contentOfARequestIsReadOnlyAfterThePassword() async throws {
        try await Self.withFile(try Self.line("alice", "geheim")) { path in
            try await RuledSite.with(Self.routes.replacing("FILE", with: path)) { site in
                let client = try await RawClient.connect(port: site.proxy.server.port)
                try await client.send("POST /x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
                #expect(try await client.receiveResponse().status == 401)
                let frames = try await FrameClient.connect(port: site.proxy.server.port)
                let credentials = String(Self.field("alice", "geheim").dropFirst("Authorization: ".count).dropLast(1))
                #expect(try await frames.exchange(1, FrameClient.get("/x")).status == "401")
                #expect(try await frames.exchange(3, FrameClient.get("/x", [("authorization", credentials)])).status == "200")
                #expect(site.asked.value.count == 1)
            }
        }
    }

    @Test func passwordsAreReadAnewByAReload() async throws {
        try await Self.withFile(try Self.line("alice", "geheim")) { path in
            try await RuledSite.with(Self.routes.replacing("FILE", with: path)) { site in
                let (old, new) = (Self.field("alice", "geheim"), Self.field("alice", "neu"))
                #expect(try await site.get("/page", old).status == 200)
                try Data("alice:nonsense".utf8).write(to: URL(filePath: path))
                await #expect(throws: ProxyError.self) { try await site.proxy.reload(site.proxy.configuration) }
                #expect(throws: ProxyError.self) { try CachingProxy.checkFiles(of: site.proxy.configuration) }
                #expect(try await site.get("/page", old).status == 200)
                try Data(try Self.line("alice", "neu").utf8).write(to: URL(filePath: path))
                try await site.proxy.reload(site.proxy.configuration)
                #expect(try await site.get("/page", old).status == 401)
                #expect(try await site.get("/page", new).status == 200)
            }
        }
    }

    /// Otherwise all users would have their passwords hashed once more at the same time, and most would be refused.
    @Test func aReloadKeepsThoseWhosePasswordsHaveNotChanged() async throws {
        let users = [("alice", "geheim"), ("bob", "alt"), ("carol", "weg")]
        try await Self.withFile(try users.map { try Self.line($0, $1) }.joined(separator: "\n")) { path in
            try await RuledSite.with(Self.routes.replacing("FILE", with: path)) { site in
                for (name, password) in users { #expect(try await site.get("/page", Self.field(name, password)).status == 200) }
                try Data("\(try Self.line("alice", "geheim"))\n\(try Self.line("bob", "neu"))\n".utf8).write(to: URL(filePath: path))
                try await site.proxy.reload(site.proxy.configuration)
                let authentication = try #require(site.proxy.routes.current.routes[1].rules?.authentication)
                #expect(try await site.get("/page", Self.field("alice", "geheim")).status == 200)
                #expect(authentication.guessCount == 0)
                for (name, password) in [("bob", "alt"), ("carol", "weg"), ("alice", "falsch")] {
                    #expect(try await site.get("/page", Self.field(name, password)).status == 401)
                }
                #expect(try await site.get("/page", Self.field("bob", "neu")).status == 200)
                #expect(authentication.guessCount == 4)
            }
        }
    }

    /// A browser that knows the password asks for many things at once.
    @Test func oneUsersRequestsAtOnceAreOneGuess() async throws {
        let authentication = BasicAuthentication(["a": try PasswordHash(of: "x", salt: Array("saltsalt".utf8), Self.cheap)], realm: "r")
        let verdicts = await withTaskGroup(of: BasicAuthentication.Verdict.self) { group in
            for _ in 0..<200 { group.addTask { await authentication.verdict(on: .init(name: "a", password: "x")) } }
            return await group.reduce(into: [BasicAuthentication.Verdict]()) { $0.append($1) }
        }
        #expect(verdicts.count == 200 && verdicts.allSatisfy { $0 == .user("a") })
    }

    /// Otherwise others who know their passwords would wait behind as many guesses as a client likes to send.
    @Test func theSameWrongPasswordAtOnceIsOneGuess() async throws {
        let hash = try PasswordHash(of: "x", salt: Array("saltsalt".utf8), .init(logRounds: 13))
        let authentication = BasicAuthentication(["a": hash], realm: "r")
        let verdicts = await withTaskGroup(of: BasicAuthentication.Verdict.self) { group in
            for _ in 0..<200 { group.addTask { await authentication.verdict(on: .init(name: "a", password: "y")) } }
            return await group.reduce(into: [BasicAuthentication.Verdict]()) { $0.append($1) }
        }
        #expect(verdicts.count == 200 && verdicts.allSatisfy { $0 == .refused })
        // A request that comes after the verdict asks anew.
        #expect(authentication.guessCount < 100, "\(authentication.guessCount)")
        #expect(await authentication.verdict(on: .init(name: "a", password: "x")) == .user("a"))
    }

    /// Guesses cost their own thread, and no more of it than a few at a time.
    @Test func guessesAreBounded() async throws {
        let hash = try PasswordHash(of: "x", salt: Array("saltsalt".utf8), .init(logRounds: 13))
        let authentication = BasicAuthentication(["a": hash], realm: "r")
        let verdicts = await withTaskGroup(of: BasicAuthentication.Verdict.self) { group in
            for number in 0..<200 {
                group.addTask { await authentication.verdict(on: .init(name: "a", password: "\(number)")) }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(verdicts[.refused, default: 0] >= 1 && verdicts[.tooBusy, default: 0] >= 50, "\(verdicts)")
        #expect(await authentication.verdict(on: .init(name: "a", password: "x")) == .user("a"))
    }
}
