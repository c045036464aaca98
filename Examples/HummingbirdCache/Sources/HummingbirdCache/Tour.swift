// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardTransports
internal import NIOCore

/// Sends requests to a server that is started for it, and prints the answers.
enum Tour {
    /// - Parameter print: Gets the lines.
    static func run(print: @escaping @Sendable (String) -> Void) async throws {
        let clock = TourClock()
        let server = GazetteServer(clock: clock)
        let port = try await server.start()
        let guide = Guide(server: server, clock: clock, port: port, print: print)
        do {
            try await guide.walk()
            await server.stop()
        } catch {
            await server.stop()
            throw error
        }
    }
}

private struct Guide: Sendable {
    let server: GazetteServer
    let clock: TourClock
    let port: Int
    let print: @Sendable (String) -> Void
    let transport = NIOTransport()

    func walk() async throws {
        print("A gazette whose pages are made once and sent often.")

        print("\n1. An article says max-age=60. The second reader gets what the first one got.")
        try await ask("/articles/1")
        try await ask("/articles/1")
        try await ask("/articles/1", [.ifNoneMatch: "\"16-25\""])
        try await ask("/articles/1", [.range: "bytes=0-9"])
        try await ask("/articles/1", method: .head)

        print("\n2. A hundred readers ask for the archive, which nobody has asked for before.")
        try await askTogether("/archive", count: 100)

        print("\n3. The front page says nothing; a policy gives it a minute, and ten more while it is made again.")
        try await ask("/")
        try await ask("/?utm_source=mail")
        clock.advance(bySeconds: 90)
        try await ask("/")
        try await ask("/")

        print("\n4. An article gets another title. Its own page goes, and so does the front page, which shows it.")
        try await ask("/articles/1", method: .put, body: "The bridge is open")
        try await ask("/articles/1")
        try await ask("/")

        print("\n5. All pages of an author are removed by their tag.")
        try await ask("/admin/purge?tag=author-Ivo", method: .post)
        try await ask("/articles/1")

        print("\n6. Ana's page is private, and is made for her each time.")
        for _ in 0..<2 { try await ask("/me", [.authorization: "Bearer token-ana"]) }

        print("\n7. The articles are away, for longer than their pages are fresh.")
        server.gazette.setAway(true)
        clock.advance(bySeconds: 120)
        try await ask("/articles/1")
        try await ask("/articles/2")
        await transport.shutdown()
    }

    private func ask(_ path: String, _ fields: HTTPFields = [:], method: HTTPRequest.Method = .get, body: String = "") async throws {
        let (head, made) = try await send(path, fields, method: method, body: body)
        row(method.rawValue, path, head, made)
    }

    private func askTogether(_ path: String, count: Int) async throws {
        let before = server.gazette.pagesMade
        try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
            for _ in 0..<count { group.addTask { try await send(path).head } }
            for try await head in group where head.status != .ok { throw TransportError(.failed, "The archive was not sent.") }
        }
        line("GET", "\(path) × \(count)", "200", "", server.gazette.pagesMade - before)
    }

    private func send(
        _ path: String,
        _ fields: HTTPFields = [:],
        method: HTTPRequest.Method = .get,
        body: String = ""
    ) async throws -> (head: HTTPResponse, pagesMade: Int) {
        let before = server.gazette.pagesMade
        let request = HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:\(port)", path: path, headerFields: fields)
        let response = try await transport.send(request, body: HTTPBody(body))
        _ = try await response.body.collect(upTo: 1 << 20)
        // Pages that are made in the background count too.
        await server.cache.flush()
        return (response.head, server.gazette.pagesMade - before)
    }

    private func row(_ method: String, _ path: String, _ head: HTTPResponse, _ made: Int) {
        let status = HTTPField.Name("Cache-Status").flatMap { head.headerFields[$0] } ?? ""
        line(method, path, "\(head.status.code)", status, made)
    }

    private func line(_ method: String, _ path: String, _ code: String, _ status: String, _ made: Int) {
        let pages = made == 0 ? "" : made == 1 ? "1 page made" : "\(made) pages made"
        let columns = [(method, 4), (path, 28), (code, 3), (pages, 12)].map { text, width in
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        let row = "  " + (columns + [status]).joined(separator: " ")
        print(String(row.reversed().drop { $0 == " " }.reversed()))
    }
}
