// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import HoardHTTP
internal import HoardNIO
internal import NIOCore
internal import Synchronization

/// A small origin with one page for each thing a cache has to get right. It counts the requests that it gets.
final class DemoOrigin: Sendable {
    /// A page of the origin, as the table of contents describes it.
    struct Page {
        let path: String
        let cacheControl: String
        let remark: String
    }

    static let pages = [
        Page(path: "/", cacheControl: "max-age=60", remark: "HTML, fresh for a minute"),
        Page(path: "/quote.json", cacheControl: "max-age=5", remark: "JSON, fresh for five seconds, then revalidated by its ETag"),
        Page(path: "/news.html", cacheControl: "no-cache", remark: "HTML, stored, but revalidated every time"),
        Page(path: "/logo.svg", cacheControl: "public, max-age=86400, immutable", remark: "an image that never changes"),
        Page(path: "/pixel.png", cacheControl: "max-age=3600", remark: "another image"),
        Page(path: "/greeting", cacheControl: "max-age=60", remark: "text that varies with Accept-Language"),
        Page(path: "/slow", cacheControl: "max-age=60", remark: "takes a second and a half to make"),
        Page(path: "/me", cacheControl: "private, max-age=60", remark: "personal: never kept in a shared cache"),
        Page(path: "/now", cacheControl: "no-store", remark: "the time of day: never kept anywhere"),
    ]

    private let requestCount = Atomic<Int>(0)
    private let start = Date()

    /// The number of requests that have reached the origin.
    var requests: Int { requestCount.load(ordering: .relaxed) }

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        requestCount.wrappingAdd(1, ordering: .relaxed)
        let path = String((request.head.path ?? "/").prefix { $0 != "?" })
        guard let page = Self.pages.first(where: { $0.path == path }) else {
            return response(.notFound, type: "text/plain; charset=utf-8", cacheControl: "max-age=5", HTTPBody("Nothing here. Try /\n"))
        }
        guard request.head.method == .get || request.head.method == .head else {
            return response(.noContent, type: nil, cacheControl: "no-store", .empty)
        }
        return await content(of: page, for: request.head)
    }

    private func content(of page: Page, for request: HTTPRequest) async -> HTTPServerResponse {
        let fields = request.headerFields
        switch page.path {
        case "/":
            return response(.ok, type: "text/html; charset=utf-8", cacheControl: page.cacheControl, HTTPBody(Self.home))
        case "/quote.json", "/news.html":
            // The page's text stays the same for ten seconds.
            let edition = Int(-start.timeIntervalSinceNow) / 10
            let tag = "\"edition-\(edition)\""
            if fields[.ifNoneMatch] == tag {
                return response(.notModified, type: nil, cacheControl: page.cacheControl, .empty, [.eTag: tag])
            }
            let isJSON = page.path == "/quote.json"
            let text =
                isJSON
                ? #"{"edition":\#(edition),"quote":"Cache is king."}"# + "\n" : "<!doctype html><title>News</title><h1>Edition \(edition)</h1>\n"
            return response(.ok, type: isJSON ? "application/json" : "text/html", cacheControl: page.cacheControl, HTTPBody(text), [.eTag: tag])
        case "/logo.svg":
            return response(.ok, type: "image/svg+xml", cacheControl: page.cacheControl, HTTPBody(Self.logo))
        case "/pixel.png":
            return response(.ok, type: "image/png", cacheControl: page.cacheControl, HTTPBody(.init(bytes: Self.pixel)))
        case "/greeting":
            let isGerman = fields[.acceptLanguage]?.hasPrefix("de") ?? false
            let text = isGerman ? "Guten Tag!\n" : "Good day!\n"
            return response(.ok, type: "text/plain", cacheControl: page.cacheControl, HTTPBody(text), [.vary: "Accept-Language"])
        case "/slow":
            try? await Task.sleep(for: .milliseconds(1500))
            return response(.ok, type: "text/plain", cacheControl: page.cacheControl, HTTPBody("That took a while.\n"))
        case "/me":
            let text = "You are \(fields[.cookie] ?? "a stranger").\n"
            return response(.ok, type: "text/plain", cacheControl: page.cacheControl, HTTPBody(text), [.setCookie: "visitor=42; HttpOnly"])
        default:
            return response(.ok, type: "text/plain", cacheControl: page.cacheControl, HTTPBody("\(Date())\n"))
        }
    }

    private func response(
        _ status: HTTPResponse.Status,
        type: String?,
        cacheControl: String,
        _ body: HTTPBody,
        _ others: HTTPFields = [:]
    ) -> HTTPServerResponse {
        var head = HTTPResponse(status: status, headerFields: [.cacheControl: cacheControl])
        if let type { head.headerFields[.contentType] = type }
        for field in others { head.headerFields.append(field) }
        return HTTPServerResponse(head: head, body: body)
    }

    private static let home: String = {
        let rows = pages.map { "<tr><td><a href=\"\($0.path)\">\($0.path)</a><td><code>\($0.cacheControl)</code><td>\($0.remark)" }
        return """
            <!doctype html><html lang="en"><meta charset="utf-8"><title>Hoard demo</title>
            <style>body{font:16px/1.5 system-ui;margin:3em auto;max-width:44em}td{padding:.2em 1em .2em 0}</style>
            <h1><img src="/logo.svg" width="32" height="32" alt=""> Hoard demo</h1>
            <p>Open a page twice, and look at its <code>Cache-Status</code> and <code>Age</code> fields in the browser's network view.
            <table>\(rows.joined())</table></html>

            """
    }()

    private static let logo = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect x="8" y="24" width="48" height="32" rx="4" fill="#b5651d"/>
        <path d="M8 28a24 16 0 0 1 48 0z" fill="#8b4513"/><rect x="28" y="32" width="8" height="12" rx="2" fill="#ffd700"/></svg>

        """

    /// A picture of one pixel.
    private static let pixel =
        Data(base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==") ?? Data()
}
