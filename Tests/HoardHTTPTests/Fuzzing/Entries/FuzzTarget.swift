// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Code that takes any bytes, and reports mistakes in its results.
///
/// The same targets run in the tests, over a corpus and mutations of it, and with libFuzzer in the package `Fuzz`.
package struct FuzzTarget: Sendable {
    /// The name of the target, and of the directory of its corpus.
    package let name: String
    /// Tries one input. Throws a ``FuzzFinding`` if something about the result is wrong.
    package let check: @Sendable ([UInt8]) throws -> Void

    package static let all = [dates, fields, ranges, storedForm]
}

/// Something that must hold for every input does not hold for this one.
package struct FuzzFinding: Error, CustomStringConvertible {
    package let description: String
}

/// Throws a finding unless `isTrue` is.
func require(_ isTrue: Bool, _ description: @autoclosure () -> String) throws {
    if !isTrue { throw FuzzFinding(description: description()) }
}
