// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Makes heads of requests at random: good ones, odd ones, and good ones with a few bytes changed.
package enum HostileHeads {
    package static let hosts = ["a", "example.com", "127.0.0.1:80", "[::1]:80", "EXAMPLE.com", "", "a b", "a,b", "x:99999"]
    package static let targets = [
        "/", "/a", "/b?c=d", "/a/./b", "/%61", "/%2F", "/a%", "//a", "/a?b?c", "/a|b", "*", "http://a/a", "/a#b", "/é", "/\"<>", "a",
    ]
    package static let fields = [
        "Accept: */*", "Accept-Encoding: gzip", "Cookie: a=b; c=d", "Connection: keep-alive", "Connection: close", "Connection: Upgrade",
        "Upgrade: h2c",
        "Content-Length: 0", "Content-Length: 5", "Transfer-Encoding: chunked", "Range: bytes=0-3", "If-None-Match: \"x\"", "If-Modified-Since: x",
        "Cache-Control: no-cache", "Cache-Control: max-age=0", "Pragma: no-cache", "TE: trailers", "Authorization: Basic eA==",
        "Expect: 100-continue",
        "X-Empty:", "X-Tab:\ta\tb\t", "X: \u{1}", "Bad Name: x", "X : y", ": y", " folded", "Via: 1.1 x", "Max-Forwards: 0", "Forwarded: for=x",
        "X-Long: 0123456789abcdef0123456789abcdef", "Keep-Alive: timeout=5", "Proxy-Connection: keep-alive", "If-Match: *", "Only: \u{7F}",
    ]

    package static func next(using generator: inout some RandomNumberGenerator) -> [UInt8] {
        let method = pick(["GET", "GET", "GET", "GET", "HEAD", "HEAD", "POST", "get", "OPTIONS"], &generator)
        let version = pick(["HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "http/1.1"], &generator)
        let target = chance(3, &generator) ? pick(targets, &generator) : pick(["/a", "/b?c=d", "/"], &generator)
        var lines = ["\(method) \(target) \(version)"]
        if !chance(20, &generator) { lines.append("Host: \(chance(5, &generator) ? pick(hosts, &generator) : "example.com")") }
        for _ in 0..<Int.random(in: 0...3, using: &generator) where chance(2, &generator) { lines.append(pick(fields, &generator)) }
        let end = chance(40, &generator) ? "\n" : "\r\n"
        var bytes = Array((lines.joined(separator: end) + end + end).utf8)
        if chance(4, &generator) {
            for _ in 0..<Int.random(in: 1...2, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[index] = chance(2, &generator) ? UInt8.random(in: 0...255, using: &generator) : pick(Array(" \t\r\n:/.%#-aA0".utf8), &generator)
            }
        }
        return bytes
    }

    package static func chance(_ count: Int, _ generator: inout some RandomNumberGenerator) -> Bool {
        Int.random(in: 0..<count, using: &generator) == 0
    }

    package static func pick<Element>(_ elements: [Element], _ generator: inout some RandomNumberGenerator) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }
}
