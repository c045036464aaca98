// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardCodings

/// A field, the qualities of zstd, br, gzip, deflate and of content without a coding, and the choice of a
/// server that prefers them in this order.
struct AcceptanceCase: Sendable, CustomTestStringConvertible {
    let field: String?
    let qualities: [Int]
    let choice: AcceptEncoding.Choice

    init(_ field: String?, _ qualities: [Int], _ choice: AcceptEncoding.Choice) {
        (self.field, self.qualities, self.choice) = (field, qualities, choice)
    }

    var testDescription: String { field ?? "no field" }
}

/// Fields as browsers and other clients send them.
private let clients: [AcceptanceCase] = [
    .init("gzip, deflate, br, zstd", [1000, 1000, 1000, 1000, 1], .coding(.zstandard)),  // Chrome since 123, Edge, Firefox since 126
    .init("gzip, deflate, br", [0, 1000, 1000, 1000, 1], .coding(.brotli)),  // Safari, Chrome before 123, Postman
    .init("gzip, deflate", [0, 0, 1000, 1000, 1], .coding(.gzip)),  // Chrome over HTTP without TLS, Internet Explorer, requests of Python
    .init("gzip,deflate,sdch", [0, 0, 1000, 1000, 1], .coding(.gzip)),  // Chrome before 50
    .init("gzip, deflate, sdch, br", [0, 1000, 1000, 1000, 1], .coding(.brotli)),  // Chrome 50 to 57
    .init("gzip, deflate, br, zstd, dcb, dcz", [1000, 1000, 1000, 1000, 1], .coding(.zstandard)),  // Chrome with a dictionary
    .init("deflate, gzip, br, zstd", [1000, 1000, 1000, 1000, 1], .coding(.zstandard)),  // curl --compressed
    .init("deflate, gzip", [0, 0, 1000, 1000, 1], .coding(.gzip)),  // curl without libbrotli
    .init("gzip", [0, 0, 1000, 0, 1], .coding(.gzip)),  // Go, OkHttp, Facebook's crawler
    .init("identity", [0, 0, 0, 0, 1000], .identity),  // wget, urllib of Python, Chrome for parts of videos
    .init("gzip,deflate", [0, 0, 1000, 1000, 1], .coding(.gzip)),  // Googlebot, Apache HttpClient, bingbot
    .init("gzip, x-gzip, deflate", [0, 0, 1000, 1000, 1], .coding(.gzip)),  // HttpClient 5
    .init("gzip,deflate,br", [0, 1000, 1000, 1000, 1], .coding(.brotli)),  // node-fetch, Googlebot
    .init("gzip, compress, deflate, br", [0, 1000, 1000, 1000, 1], .coding(.brotli)),  // axios
    .init("br, gzip, deflate", [0, 1000, 1000, 1000, 1], .coding(.brotli)),  // fetch of Node, URLSession
    .init("gzip;q=1.0,deflate;q=0.6,identity;q=0.3", [0, 0, 1000, 600, 300], .coding(.gzip)),  // Net::HTTP of Ruby
    .init("gzip;q=1.0, compress;q=0.5", [0, 0, 1000, 0, 1], .coding(.gzip)),  // Alamofire before 5
    .init("br;q=1.0, gzip;q=0.9, deflate;q=0.8", [0, 1000, 900, 800, 1], .coding(.brotli)),  // Alamofire
    .init("identity;q=1, *;q=0", [0, 0, 0, 0, 1000], .identity),  // Chrome for media
    .init("gzip, deflate, lzma, sdch", [0, 0, 1000, 1000, 1], .coding(.gzip)),  // Opera
    .init("x-gzip, gzip, deflate", [0, 0, 1000, 1000, 1], .coding(.gzip)),  // Konqueror, Lynx
    .init("gzip, bzip2, compress", [0, 0, 1000, 0, 1], .coding(.gzip)),  // Lynx
    .init("*", [1000, 1000, 1000, 1000, 1], .coding(.zstandard)),  // Links, some crawlers
    .init(nil, [1000, 1000, 1000, 1000, 1000], .identity),  // curl, scripts
]

/// The examples of RFC 9110, section 12.5.3, and the corners of its grammar.
private let corners: [AcceptanceCase] = [
    .init("compress, gzip", [0, 0, 1000, 0, 1], .coding(.gzip)),
    .init("", [0, 0, 0, 0, 1], .identity),
    .init("compress;q=0.5, gzip;q=1.0", [0, 0, 1000, 0, 1], .coding(.gzip)),
    .init("gzip;q=1.0, identity; q=0.5, *;q=0", [0, 0, 1000, 0, 500], .coding(.gzip)),
    .init("*;q=0", [0, 0, 0, 0, 0], .noneAcceptable),
    .init("identity;q=0", [0, 0, 0, 0, 0], .noneAcceptable),
    .init("identity;q=0, gzip;q=0.001", [0, 0, 1, 0, 0], .coding(.gzip)),
    .init("*;q=0, identity;q=0.001", [0, 0, 0, 0, 1], .identity),
    .init("identity, gzip;q=0.999", [0, 0, 999, 0, 1000], .identity),
    .init("gzip;q=0.5, identity;q=0.5", [0, 0, 500, 0, 500], .coding(.gzip)),
    .init("*;q=0.25, gzip;q=0, br", [250, 1000, 0, 250, 1], .coding(.brotli)),
    .init("gzip;q=0", [0, 0, 0, 0, 1], .identity),
    .init("GZIP;Q=0.75 , \tBR ; q=0.5", [0, 500, 750, 0, 1], .coding(.gzip)),
    .init("gzip;q=0.1, zstd;q=0.123, br;q=0.12", [123, 120, 100, 0, 1], .coding(.zstandard)),
    .init("gzip;q=1.000, br;q=0., deflate;q=1.", [0, 0, 1000, 1000, 1], .coding(.gzip)),
    .init(",, gzip ,,", [0, 0, 1000, 0, 1], .coding(.gzip)),
    .init("gzip;q=0.5, gzip;q=0.2, x-gzip;q=0.7", [0, 0, 700, 0, 1], .coding(.gzip)),
    // These members are malformed.
    .init("gzip;q=1.001, br;q=2, zstd;q=0.1234, deflate;q=-1", [0, 0, 0, 0, 1], .identity),
    .init("gzip;q, br;q=, zstd;, deflate;level=9", [0, 0, 0, 0, 1], .identity),
    .init("gzip;q=0,5, br", [0, 1000, 0, 0, 1], .coding(.brotli)),
    .init("gzip;q =1, br; q= 1, zstd;q=.5, deflate;q=1e0", [0, 0, 0, 0, 1], .identity),
    .init("gzip deflate, \"br\", zstd", [1000, 0, 0, 0, 1], .coding(.zstandard)),
    .init("gzip;q=0.5;q=1, gzíp, br;q=0.5;x", [0, 0, 0, 0, 1], .identity),
]

@Suite("AcceptEncoding", .timeLimit(.minutes(5)))
struct AcceptEncodingTests {
    private static let offers: [ContentCoding] = [.zstandard, .brotli, .gzip, .deflate]

    @Test(arguments: clients + corners)
    func aFieldIsReadAsTheRulesSay(example: AcceptanceCase) {
        let field = AcceptEncoding(example.field)
        #expect(Self.offers.map(field.quality(of:)) + [field.identityQuality] == example.qualities)
        #expect(field.preferred(among: Self.offers) == example.choice)
    }

    @Test func theServerChoosesAmongEqualQualities() {
        let field = AcceptEncoding("gzip, deflate, br, zstd;q=0.9")
        #expect(field.preferred(among: [.gzip, .brotli]) == .coding(.gzip))
        #expect(field.preferred(among: [.brotli, .gzip]) == .coding(.brotli))
        #expect(field.preferred(among: [.zstandard, .deflate]) == .coding(.deflate))
        #expect(field.preferred(among: [.zstandard]) == .coding(.zstandard))
        #expect(field.preferred(among: []) == .identity)
        #expect(AcceptEncoding("gzip, identity;q=0").preferred(among: [.brotli]) == .noneAcceptable)
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func nonsenseIsReadWithoutHarm(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        let pieces = ["gzip", "br", ";", "q", "=", "0", ".", "5", ",", " ", "*", "identity", "\t", "é", "q=1", ";q=0.5"]
        for _ in 0..<100 {
            let field = (0..<Int.random(in: 0...20, using: &numbers)).compactMap { _ in pieces.randomElement(using: &numbers) }.joined()
            let read = AcceptEncoding(field)
            #expect(Self.offers.allSatisfy { 0...1000 ~= read.quality(of: $0) }, "seed \(seed): \(field)")
            #expect(0...1000 ~= read.identityQuality, "seed \(seed): \(field)")
        }
    }
}
