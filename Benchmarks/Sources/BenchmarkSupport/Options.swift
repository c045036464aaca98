// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The options both programs understand. `--name=value` and `--name value` mean the same.
public struct Options: Sendable {
    public struct Mistake: Error, CustomStringConvertible {
        public let description: String

        public init(_ description: String) {
            self.description = description
        }
    }

    private var values: [String: String] = [:]

    /// - Parameters:
    ///   - flags: Options that take no value.
    ///   - valued: Options that take one.
    public init(_ arguments: [String], flags: Set<String>, valued: Set<String>) throws(Mistake) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let name = parts[0]
            if flags.contains(name) {
                guard parts.count == 1 else { throw Mistake("\(name) takes no value.") }
                values[name] = ""
            } else if valued.contains(name) {
                guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else { throw Mistake("\(name) needs a value.") }
                values[name] = value
            } else {
                let known = flags.union(valued).sorted().joined(separator: ", ")
                throw Mistake("Unknown option \(argument). The options are \(known).")
            }
        }
    }

    public func contains(_ flag: String) -> Bool {
        values[flag] != nil
    }

    public func text(_ name: String) -> String? {
        values[name]
    }

    /// A number of at least 1, or `nil` if the option is absent.
    public func count(_ name: String) throws(Mistake) -> Int? {
        guard let text = values[name] else { return nil }
        guard let number = Int(text), number > 0 else { throw Mistake("\(name) needs a whole number from 1, not \(text).") }
        return number
    }
}
