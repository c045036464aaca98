// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension ContentCoding {
    /// The coding with a name, in any case; `x-gzip` means gzip (RFC 9110, section 8.4.1.3). `nil`
    /// if the name is unknown, as `identity` is.
    package init?(name: String) {
        var name = name
        let coding = name.withUTF8 { Self(token: UnsafeRawBufferPointer($0)) }
        guard let coding else { return nil }
        self = coding
    }

    /// The coding with a name in ASCII. Allocates nothing.
    init?(token: UnsafeRawBufferPointer) {
        if token.isToken("gzip") || token.isToken("x-gzip") {
            self = .gzip
        } else if token.isToken("br") {
            self = .brotli
        } else if token.isToken("zstd") {
            self = .zstandard
        } else if token.isToken("deflate") {
            self = .deflate
        } else {
            return nil
        }
    }

    /// The codings of a field Content-Encoding (RFC 9110, section 8.4), in the order in which they
    /// were applied.
    ///
    /// Empty members and `identity`, which some servers send, are left away.
    ///
    /// - Throws: ``CodingError`` with the code `unsupportedCoding` if a name is unknown.
    package static func codings(ofContentEncoding field: String) throws(CodingError) -> [ContentCoding] {
        var field = field
        var codings: [ContentCoding] = []
        let unknown: String? = field.withUTF8 { field in
            var unknown: String?
            UnsafeRawBufferPointer(field).forEachListMember { name in
                if name.isEmpty || name.isToken("identity") || unknown != nil { return }
                if let coding = ContentCoding(token: name) {
                    codings.append(coding)
                } else {
                    unknown = String(decoding: name.prefix(40), as: UTF8.self)
                }
            }
            return unknown
        }
        if let unknown {
            throw CodingError(.unsupportedCoding, "The content coding “\(unknown)” is unknown: ask for another with Accept-Encoding.")
        }
        return codings
    }
}
