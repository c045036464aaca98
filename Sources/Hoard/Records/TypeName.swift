// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The name of a type as `String(reflecting:)` gives it, but the same in every process.
///
/// Private and local types are printed with addresses, `(unknown context at $55d0c3a1b790)`, which differ between runs of a program. These are left out: two
/// such types may have the same name.
func stableName(of type: Any.Type) -> String {
    // Unlike `String(reflecting:)`, this does not look for protocols that the type might conform to, which takes a millisecond in a process that has just begun.
    let parts = _typeName(type, qualified: true).split(separator: "(unknown context at $", omittingEmptySubsequences: false)
    return (parts.prefix(1) + parts.dropFirst().map { $0.drop { $0 != ")" } }).joined(separator: "(unknown context")
}
