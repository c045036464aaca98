// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Crypto
internal import CryptoExtras

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A password that can be recognised and not be told: scrypt ([RFC 7914](https://www.rfc-editor.org/rfc/rfc7914)), written
/// `$scrypt$ln=15,r=8,p=1$salt$hash` with salt and hash in Base64 without padding.
package struct PasswordHash: Sendable, Hashable, CustomStringConvertible {
    /// How much work and memory a guess costs: 128 · 2^`logRounds` · `blockSize` bytes.
    struct Cost: Sendable, Hashable, Comparable {
        var logRounds = 15
        var blockSize = 8
        var parallelism = 1

        /// Whether it is accepted from files: at most 256 MiB.
        var isAcceptable: Bool {
            (10...20).contains(logRounds) && (1...16).contains(blockSize) && (1...4).contains(parallelism) && work <= 1 << 21
        }

        /// In pieces of 128 bytes.
        private var work: Int { blockSize << logRounds }

        /// Whether a guess costs less than with another.
        static func < (left: Cost, right: Cost) -> Bool { left.work * left.parallelism < right.work * right.parallelism }
    }

    /// The most bytes of a name, a colon and a password. More do not fit, in Base64, into what is read of a client's field.
    package static let maximumCredentialsByteCount = 762

    let cost: Cost
    private let salt: [UInt8]
    private let hash: [UInt8]

    /// Hashes a password with a salt of its own. Takes about a tenth of a second, and 32 MiB for that time.
    package init(of password: String) throws {
        var generator = SystemRandomNumberGenerator()
        try self.init(of: password, salt: (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }, Cost())
    }

    init(of password: String, salt: [UInt8], _ cost: Cost) throws {
        self.cost = cost
        self.salt = salt
        hash = try Self.derive(password, salt, cost, byteCount: 32)
    }

    /// Creates a random hash, whose password is unknown.
    init(ofNobodyAt cost: Cost) {
        self.cost = cost
        var generator = SystemRandomNumberGenerator()
        salt = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        hash = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// `nil` if the text is no such hash, or one that would cost too much.
    package init?(_ text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt" else { return nil }
        var cost = Cost()
        for pair in parts[2].split(separator: ",", omittingEmptySubsequences: false) {
            let sides = pair.split(separator: "=", omittingEmptySubsequences: false)
            guard sides.count == 2, let number = Int(sides[1]) else { return nil }
            switch sides[0] {
            case "ln": cost.logRounds = number
            case "r": cost.blockSize = number
            case "p": cost.parallelism = number
            default: return nil
            }
        }
        guard cost.isAcceptable, let salt = Self.bytes(parts[3]), let hash = Self.bytes(parts[4]), salt.count >= 8, (16...64).contains(hash.count)
        else {
            return nil
        }
        (self.cost, self.salt, self.hash) = (cost, salt, hash)
    }

    package var description: String {
        "$scrypt$ln=\(cost.logRounds),r=\(cost.blockSize),p=\(cost.parallelism)$\(Self.text(salt))$\(Self.text(hash))"
    }

    /// Whether it is that of a password. Takes about as long whether it is or not.
    package func isOf(_ password: String) -> Bool {
        guard let other = try? Self.derive(password, salt, cost, byteCount: hash.count) else { return false }
        return zip(hash, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func derive(_ password: String, _ salt: [UInt8], _ cost: Cost, byteCount: Int) throws -> [UInt8] {
        let key = try KDF.Scrypt.deriveKey(
            from: Array(password.utf8),
            salt: salt,
            outputByteCount: byteCount,
            rounds: 1 << cost.logRounds,
            blockSize: cost.blockSize,
            parallelism: cost.parallelism
        )
        return key.withUnsafeBytes { Array($0) }
    }

    private static func bytes(_ text: Substring) -> [UInt8]? {
        guard !text.contains("=") else { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text + padding).map { Array($0) }
    }

    private static func text(_ bytes: [UInt8]) -> String { String(Data(bytes).base64EncodedString().prefix { $0 != "=" }) }
}
