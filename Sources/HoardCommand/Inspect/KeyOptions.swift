// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import HoardDisk

/// The `--key-file` option, and the key of an encrypted cache.
struct KeyOptions: ParsableArguments {
    /// The environment variable that has the same text as a key file.
    static let variable = "HOARD_KEY"
    /// More than any key needs.
    private static let maximumByteCount = 4096

    @Option(
        name: .customLong("key-file"),
        help: ArgumentHelp(
            "The file with the key of an encrypted cache.",
            discussion: """
                One line: the key's identifier, a space, and its 32 bytes as 64 hexadecimal digits or in Base64. The identifier may be left out. \
                Without this option the same line is read from the environment variable HOARD_KEY.
                """,
            valueName: "file"
        ),
        completion: .file()
    )
    var path: String?

    /// The key; `nil` if none was given.
    func encryptionKey(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> DiskStore.EncryptionKey? {
        if let path { return try Self.key(Self.contents(of: path), from: path) }
        guard let text = environment[Self.variable], !text.isEmpty else { return nil }
        return try Self.key(text, from: "the environment variable \(Self.variable)")
    }

    private static func contents(of path: String) throws -> String {
        guard let file = FileHandle(forReadingAtPath: path) else { throw KeyError("Cannot read the key file \(printable(path)).") }
        guard let data = try? file.read(upToCount: maximumByteCount + 1), data.count <= maximumByteCount else {
            throw KeyError("Cannot find a key in \(printable(path)).")
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// Reads a key. Errors never hold any of the text.
    static func key(_ text: String, from source: String) throws -> DiskStore.EncryptionKey {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard let last = words.last, let bytes = bytes(String(last)), bytes.count == DiskStore.EncryptionKey.byteCount else {
            throw KeyError("There is no key of \(DiskStore.EncryptionKey.byteCount) bytes, hexadecimal or Base64, in \(printable(source)).")
        }
        let identifier = words.dropLast().joined(separator: " ")
        return try DiskStore.EncryptionKey(identifier: identifier.isEmpty ? "unnamed" : identifier, bytes: bytes)
    }

    private static func bytes(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count == 2 * DiskStore.EncryptionKey.byteCount else { return Data(base64Encoded: text).map { Array($0) } }
        let values = digits.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard values.count == digits.count else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}

/// The reason why there is no key. It does not contain the key.
struct KeyError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
