// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardTesting
import NIOCore
import Testing

@testable import HoardProxy

/// Requests that change the cache, and their requirements.
@Suite(.timeLimit(.minutes(1))) struct AdminPurgingTests {
    private let harness = AdminHarness()
    private let paths = ["/a", "/x/1", "/x/2", "/tag"]

    private func fill() async throws { for path in paths { try await harness.fill(path) } }

    private func cached() async throws -> [String] {
        var cached: [String] = []
        for path in paths where try await harness.isCached(path) { cached.append(path) }
        return cached
    }

    @Test(arguments: [
        (#"{"url":"/a"}"#, 1 as Int?, ["/x/1", "/x/2", "/tag"]), (#"{"url":"http://origin.example/x/1","stale":false}"#, 1, ["/a", "/x/2", "/tag"]),
        (#"{"url":"/absent"}"#, 0, ["/a", "/x/1", "/x/2", "/tag"]), (#"{"prefix":"/x/"}"#, 2, ["/a", "/tag"]),
        (#"{"prefix":"http://origin.example/"}"#, 4, []), (#"{"tag":"news"}"#, nil, ["/a", "/x/1", "/x/2"]), (#"{"all":true}"#, nil, []),
        (#"{"all":false,"url":"/a"}"#, 1, ["/x/1", "/x/2", "/tag"]),
    ])
    func whatIsNamedIsRemoved(body: String, removed: Int?, left: [String]) async throws {
        try await fill()
        let reply = try await harness.purge(body)
        #expect(reply.code == 200)
        #expect(try reply.json["removed"] as? Int == removed)
        #expect(try await cached() == left)
    }

    @Test(arguments: [
        (#"{"url":"/a","stale":true}"#, 1 as Int?, ["/x/1", "/x/2", "/tag"]), (#"{"prefix":"/x/","stale":true}"#, 2, ["/a", "/tag"]),
        (#"{"tag":"news","stale":true}"#, nil, ["/a", "/x/1", "/x/2"]), (#"{"all":true,"stale":true}"#, nil, []),
    ])
    func whatIsNamedIsMarkedStale(body: String, count: Int?, left: [String]) async throws {
        try await fill()
        let reply = try await harness.purge(body)
        #expect(reply.code == 200)
        #expect(try reply.json["removed"] as? Int == count)
        #expect(try await cached() == left)
        let listed = try await harness.send(.get, "/api/entries").json["entries"] as? [[String: any Sendable]]
        #expect(listed?.count == 4, "all of it is still there")
        #expect(listed?.count { $0["isFresh"] as? Bool == true } == left.count)
    }

    @Test(arguments: [(#"{"prefix":"/on"}"#, ["/a"]), (#"{"prefix":"/on","stale":true}"#, ["/a"])])
    func aPrefixIsPurgedOnAllItsRoutes(body: String, left: [String]) async throws {
        try await fill()
        let listed = try await harness.send(.get, "/api/entries?prefix=/on").json["entries"] as? [[String: any Sendable]]
        #expect(listed?.count == 3)
        #expect(try await harness.purge(body).json["removed"] as? Int == 3)
        #expect(try await cached() == left)
    }

    @Test(arguments: [false, true]) func aResponseOfTwoRoutesCountsOnce(isStale: Bool) async throws {
        try await fill()
        #expect(try await harness.purge(#"{"url":"/two","stale":\#(isStale)}"#).json["removed"] as? Int == 1)
        #expect(try await cached() == ["/x/1", "/x/2", "/tag"])
    }

    @Test func whatDependsOnTheHostIsRefusedWithoutOne() async throws {
        try await fill()
        for body in [#"{"url":"/hosts/a"}"#, #"{"prefix":"/hosts/"}"#, #"{"prefix":"/hosts/","stale":true}"#] {
            let reply = try await harness.purge(body)
            #expect(reply.code == 400)
            #expect(reply.error?.contains("give the URL with its host") == true)
        }
        for path in ["/api/explain?url=/hosts/a", "/api/entries?prefix=/hosts/"] { #expect(try await harness.send(.get, path).code == 400) }
        #expect(try await cached() == paths)
    }

    @Test func anotherTokenIsInForceAtOnce() async throws {
        let old: HTTPFields = [.authorization: "Bearer secret", .contentType: "application/json"]
        let new: HTTPFields = [.authorization: "Bearer other", .contentType: "application/json"]
        harness.handler.currentToken.replace(with: AdminToken("other"))
        #expect(try await harness.purge(#"{"all":true}"#, old).code == 401)
        #expect(try await harness.purge(#"{"all":true}"#, new).code == 200)
        harness.handler.currentToken.replace(with: AdminToken(""))
        #expect(try await harness.purge(#"{"all":true}"#, new).code == 403)
        #expect(try await harness.send(.get, "/").text == "page")
    }

    @Test func emptyAndUnknownBodiesGetASentence() async throws {
        try await fill()
        let bodies = [
            "", "null", "[]", "{}", "{", #"{"url":1}"#, #"{"url":""}"#, #"{"prefix":""}"#, #"{"all":false}"#, #"{"all":1}"#,
            #"{"url":"/a","tag":"b"}"#,
            #"{"url":"/a","all":true}"#, #"{"url":"/a","sale":true}"#, #"{"url":"/a","stale":"true"}"#, #"{"url":"ftp://origin.example/"}"#,
            #"{"prefix":"origin.example/"}"#, #"{"stale":true}"#, String(repeating: "[", count: 20_000),
        ]
        for body in bodies {
            let reply = try await harness.purge(body)
            #expect(reply.code == 400, "\(body.prefix(60))")
            #expect(reply.error?.hasSuffix(".") == true)
        }
        #expect(try await cached() == paths)
    }

    @Test func longContentIsRefused() async throws {
        #expect(try await harness.purge(#"{"url":"/\#(String(repeating: "a", count: 70_000))"}"#).code == 413)
    }

    @Test func contentThatIsNotJSONIsRefused() async throws {
        let types: [String?] = [nil, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonp"]
        for type in types {
            var fields: HTTPFields = [.authorization: "Bearer secret"]
            fields[.contentType] = type
            #expect(try await harness.purge(#"{"all":true}"#, fields).code == 415)
        }
        let fields: HTTPFields = [.authorization: "Bearer secret", .contentType: "Application/JSON; charset=utf-8"]
        #expect(try await harness.purge(#"{"all":true}"#, fields).code == 200)
    }

    // MARK: The token

    @Test(arguments: [
        "Bearer", "Bearer ", "Bearer wrong", "Bearer secre", "Bearer secrets", "Bearer Secret", "Basic secret", "secret", "Bearersecret",
        "Token secret", "",
    ])
    func nothingIsChangedWithoutTheToken(authorization: String) async throws {
        try await fill()
        for body in [#"{"all":true}"#, #"{"url":"/a"}"#, "nonsense"] {
            let reply = try await harness.purge(body, [.authorization: authorization, .contentType: "application/json"])
            #expect(reply.code == 401)
            #expect(reply.head.headerFields[.wwwAuthenticate]?.hasPrefix("Bearer") == true)
            #expect(reply.error?.contains("secret") == false)
        }
        #expect(try await cached() == paths)
    }

    @Test func twoTokensAreNone() async throws {
        var fields: HTTPFields = [.contentType: "application/json"]
        fields.append(HTTPField(name: .authorization, value: "Bearer secret"))
        fields.append(HTTPField(name: .authorization, value: "Bearer wrong"))
        #expect(try await harness.purge(#"{"all":true}"#, fields).code == 401)
        #expect(try await harness.purge(#"{"all":true}"#, [.contentType: "application/json"]).code == 401)
    }

    @Test(arguments: ["bearer secret", "BEARER secret", "Bearer   secret"])
    func spellingOfTheSchemeDoesNotMatter(authorization: String) async throws {
        #expect(try await harness.purge(#"{"all":true}"#, [.authorization: authorization, .contentType: "application/json"]).code == 200)
    }

    @Test(arguments: [nil, ""])
    func withoutAConfiguredTokenNothingCanBeChanged(token: String?) async throws {
        let harness = AdminHarness(token: token)
        try await harness.fill("/a")
        for authorization in ["Bearer ", "Bearer x", "Bearer secret"] {
            let reply = try await harness.purge(#"{"all":true}"#, [.authorization: authorization, .contentType: "application/json"])
            #expect(reply.code == 403)
            #expect(reply.error?.contains("token") == true)
        }
        #expect(try await harness.isCached("/a"))
    }

    @Test func readingTakesNoToken() async throws {
        for path in ["/", "/metrics", "/api/statistics", "/api/entries", "/api/explain?url=/a"] {
            #expect(try await harness.send(.get, path).code == 200)
        }
    }
}
