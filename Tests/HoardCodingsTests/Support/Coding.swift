// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

@testable import HoardCodings

/// The bytes that were decoded before an error, and the error.
struct DecodingResult {
    var bytes: [UInt8] = []
    var error: CodingError?
}

/// Encodes bytes with the codings, one after the other.
func encode(
    _ content: [UInt8],
    _ codings: [ContentCoding],
    level: Int? = nil,
    dictionary: [UInt8]? = nil,
    numbers: SeededNumbers? = nil
) throws(CodingError) -> [UInt8] {
    var numbers = numbers
    var content = content
    for coding in codings {
        let encoder = try ContentEncoder(coding: coding, level: level, dictionary: dictionary)
        var output: [UInt8] = []
        try content.forEachPart(&numbers) { part throws(CodingError) in try encoder.encode(part) { output += $0 } }
        try encoder.finish { output += $0 }
        content = output
    }
    return content
}

/// Decodes bytes to the end, or to an error.
func decode(
    _ content: [UInt8],
    _ codings: [ContentCoding],
    limits: ContentDecoder.Limits = .init(),
    dictionary: [UInt8]? = nil,
    numbers: SeededNumbers? = nil
) -> DecodingResult {
    do {
        return decode(content, with: try ContentDecoder(codings: codings, limits: limits, dictionary: dictionary), numbers: numbers)
    } catch {
        return DecodingResult(error: error)
    }
}

func decode(_ content: [UInt8], with decoder: ContentDecoder, numbers: SeededNumbers? = nil) -> DecodingResult {
    var numbers = numbers
    var result = DecodingResult()
    do throws(CodingError) {
        try content.forEachPart(&numbers) { part throws(CodingError) in try decoder.decode(part) { result.bytes += $0 } }
        try decoder.finish()
    } catch {
        result.error = error
    }
    return result
}

extension ContentCoding {
    /// The available codings whose data carries a checksum, so that damage is always found.
    static var checked: [ContentCoding] { available.filter { $0 != .brotli } }
}
