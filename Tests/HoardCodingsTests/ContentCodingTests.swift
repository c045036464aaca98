// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardCodings

@Suite("ContentCoding", .timeLimit(.minutes(5)))
struct ContentCodingTests {
    @Test(arguments: ContentCoding.all)
    func aCodingIsFoundByItsNameInAnyCase(coding: ContentCoding) {
        #expect(ContentCoding(name: coding.name) == coding)
        #expect(ContentCoding(name: coding.name.uppercased()) == coding)
        #expect("\(coding)" == coding.name)
    }

    @Test func namesAreThoseOfTheRegistry() {
        #expect(ContentCoding.all.map(\.name) == ["zstd", "br", "gzip", "deflate"])
        #expect(ContentCoding(name: "X-GZip") == .gzip)
    }

    @Test(arguments: ["", "identity", "*", "gzi", "gzipp", "x-deflate", "compress", "brotli", "zstandard", " gzip", "ＧＺＩＰ", "gzip\0"])
    func anotherNameIsUnknown(name: String) {
        #expect(ContentCoding(name: name) == nil)
    }

    @Test func gzipAndDeflateAreAlwaysAvailable() {
        #expect(Set(ContentCoding.available).isSuperset(of: [.gzip, .deflate]))
        #if os(Linux)
            #if Brotli
                #expect(ContentCoding.available.contains(.brotli))
            #endif
            #if Zstandard
                #expect(ContentCoding.available.contains(.zstandard))
            #endif
        #endif
    }

    @Test(arguments: ContentCoding.all.filter { !ContentCoding.available.contains($0) })
    func aCodingThatIsNotAvailableSaysWhatToDo(coding: ContentCoding) {
        let error = #expect(throws: CodingError.self) { try ContentDecoder(codings: [coding]) }
        #expect(error?.code == .unsupportedCoding)
        #expect(error?.message.contains("trait") == true)
        #expect(throws: CodingError.self) { try ContentEncoder(coding: coding) }
    }

    @Test func aFieldNamesCodingsInTheirOrder() throws {
        #expect(try ContentCoding.codings(ofContentEncoding: "gzip") == [.gzip])
        #expect(try ContentCoding.codings(ofContentEncoding: " GZIP ,\tbr,, identity, x-gzip ,zstd") == [.gzip, .brotli, .gzip, .zstandard])
        #expect(try ContentCoding.codings(ofContentEncoding: "") == [])
        #expect(try ContentCoding.codings(ofContentEncoding: "identity") == [])
        for field in ["compress", "gzip, aes128gcm", "gzip;q=1", "gzip br"] {
            let error = #expect(throws: CodingError.self) { try ContentCoding.codings(ofContentEncoding: field) }
            #expect(error?.code == .unsupportedCoding)
        }
    }

    @Test func anErrorPrintsItsSentence() {
        let error = CodingError(.tooLong, "The content is too long: send less.")
        #expect("\(error)" == "The content is too long: send less.")
        #expect("\(error.code)" == "tooLong")
    }
}
