// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The JSON that the admin server speaks: dates are seconds since 1970.
enum AdminJSON {
    /// An object on one line. A value that cannot be written, such as NaN, becomes an error in its place.
    static func text(_ value: any Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        guard let data = try? encoder.encode(value) else { return #"{"error":"The figures cannot be written as JSON."}"# }
        return String(decoding: data, as: UTF8.self)
    }

    /// Returns the object in the content of a request. Unknown members are refused: a misspelt one would otherwise seem
    /// to have an effect.
    ///
    /// - Parameters:
    ///   - noun: The word for a member.
    ///   - names: The members that there are.
    ///   - example: An object as it should be.
    static func object<Object: Decodable>(
        _ content: ByteBuffer,
        _ noun: String,
        _ names: [String],
        like example: String
    ) throws(AdminRefusal) -> Object {
        let data = Data(content.readableBytesView)
        let members: [String]
        let object: Object
        do {
            members = try JSONDecoder().decode(MemberNames.self, from: data).names
            object = try JSONDecoder().decode(Object.self, from: data)
        } catch {
            throw AdminRefusal(.badRequest, "The content must be an object such as \(example).")
        }
        if let unknown = members.sorted().first(where: { !names.contains($0) }) {
            throw AdminRefusal(
                .badRequest,
                "There is no \(noun) \(AdminQuery.quoted(unknown)); there are \(names.dropLast().joined(separator: ", ")) and \(names.last ?? "")."
            )
        }
        return object
    }
}

private struct MemberNames: Decodable {
    let names: [String]

    init(from decoder: any Decoder) throws {
        names = try decoder.container(keyedBy: AnyName.self).allKeys.map(\.stringValue)
    }
}

/// The name of a member, whatever it is.
struct AnyName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
