// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes

/// 2026-01-01 00:00:00 GMT, a Thursday.
let newYear2026 = Date(timeIntervalSince1970: 1_767_225_600)

/// Fields written as on the wire, one string a line.
func fields(_ lines: [String]) -> HTTPFields {
    var fields = HTTPFields()
    for line in lines {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else { preconditionFailure("\(line) is no field") }
        fields.append(HTTPField(name: name, value: parts[1].trimmingCharacters(in: .whitespaces)))
    }
    return fields
}

func fields(_ lines: String...) -> HTTPFields { fields(lines) }

func response(_ status: Int = 200, _ lines: String...) -> HTTPResponse {
    HTTPResponse(status: .init(code: status), headerFields: fields(lines))
}

func response(_ status: Int = 200, _ lines: [String]) -> HTTPResponse {
    HTTPResponse(status: .init(code: status), headerFields: fields(lines))
}

func request(method: String = "GET", path: String = "/a", _ lines: String...) -> HTTPRequest {
    guard let method = HTTPRequest.Method(method) else { preconditionFailure("\(method) is no method") }
    return HTTPRequest(method: method, scheme: "http", authority: "example.com", path: path, headerFields: fields(lines))
}

extension HTTPFields {
    /// The fields as on the wire, for comparing whole messages.
    var lines: [String] { map { "\($0.name.rawName): \($0.value)" } }
}

/// A generator that repeats itself for one seed; tests print the seed when they fail.
struct SeededGenerator: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    init(seed: UInt64 = .random(in: 0 ... .max)) {
        self.seed = seed
        self.state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Bytes, most of them from `alphabet`, so that grammars are met often and broken often.
    mutating func bytes(upTo count: Int, alphabet: String) -> [UInt8] {
        let letters = Array(alphabet.utf8)
        return (0..<Int.random(in: 0...count, using: &self)).map { _ in
            Int.random(in: 0..<8, using: &self) == 0
                ? UInt8.random(in: 0...255, using: &self) : letters[Int.random(in: 0..<letters.count, using: &self)]
        }
    }
}
