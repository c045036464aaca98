// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import HoardProxy

@Suite("RequestHeadScan")
struct RequestHeadScanTests {
    private struct Parts: Equatable {
        var method = ""
        var target = ""
        var version = ""
        var fields: [String] = []
    }

    private func parts(_ head: String) -> Parts? {
        head.withBytes { bytes in
            guard let scan = RequestHeadScan(bytes) else { return nil }
            func text(_ range: Range<Int>) -> String { String(decoding: scan[range], as: UTF8.self) }
            var parts = Parts(method: text(scan.method), target: text(scan.target), version: text(scan.version))
            scan.forEachField { name, value in
                parts.fields.append("\(text(name))=\(text(value))")
                return true
            }
            return parts
        }
    }

    @Test func theLineAndTheFieldsAreFound() {
        #expect(
            parts("GET /a?b HTTP/1.1\r\nHost: x\r\nEmpty:\r\nSpaces:  \t two words \t \r\nA:b:c\r\n\r\n")
                == Parts(method: "GET", target: "/a?b", version: "HTTP/1.1", fields: ["Host=x", "Empty=", "Spaces=two words", "A=b:c"])
        )
    }

    @Test func lineFeedsAloneEndLinesToo() {
        #expect(parts("PUT * HTTP/1.0\nA: b\n\n") == Parts(method: "PUT", target: "*", version: "HTTP/1.0", fields: ["A=b"]))
    }

    @Test func aHeadThatBreaksOffIsReadAsFarAsItGoes() {
        let head = "GET /a HTTP/1.1\r\nHost: example.com\r\nAccept: text/html\r\n\r\n"
        for length in 0...head.utf8.count {
            let read = parts(String(decoding: head.utf8.prefix(length), as: UTF8.self))
            #expect((read == nil) == (length < "GET /a ".utf8.count))
            #expect(read?.target ?? "/a" == "/a")
            #expect(read?.fields.count ?? 0 <= 2)
        }
    }

    @Test func linesWithoutAColonEndTheFields() {
        #expect(parts("GET / HTTP/1.1\r\nA: b\r\nnonsense\r\nC: d\r\n\r\n")?.fields == ["A=b"])
    }

    @Test func namesAreComparedInAnyLetters() {
        "GET / HTTP/1.1\r\nUSER-agent: x\r\nHosts: y\r\nHost: z\r\n\r\n".withBytes { bytes in
            guard let scan = RequestHeadScan(bytes) else { return }
            var found: [Bool] = []
            scan.forEachField { name, _ in
                found.append(scan.isName(name, "user-agent"))
                return true
            }
            #expect(found == [true, false, false])
            #expect(scan.host.map { String(decoding: scan[$0], as: UTF8.self) } == "z")
        }
    }
}
