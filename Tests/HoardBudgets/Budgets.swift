// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Takes one of the ways of a request so many times, for `Scripts/budgets`, which counts the cost.
///
///     HoardBudgets WAY COUNT
@main
enum Budgets {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 2, let name = arguments.first, let count = arguments.last.flatMap({ Int($0) }), count > 0 else {
            throw UsageError(description: "usage: HoardBudgets WAY COUNT")
        }
        if let way = TieredWay(rawValue: name) {
            try await way.take(count)
        } else if let way = ClientWay(rawValue: name) {
            try await way.take(count)
        } else if let way = AppWay(rawValue: name) {
            try await way.take(count)
        } else {
            var names = TieredWay.allCases.map(\.rawValue) + ClientWay.allCases.map(\.rawValue) + AppWay.allCases.map(\.rawValue)
            #if os(Linux)
                if let way = ServerWay(rawValue: name) { return try await way.take(count) }
                names += ServerWay.allCases.map(\.rawValue)
            #endif
            throw UsageError(description: "There is no way \"\(name)\". There are: \(names.joined(separator: ", ")).")
        }
    }
}

struct UsageError: Error, CustomStringConvertible {
    let description: String
}

/// A request was not answered in the way that it should have taken.
struct WrongWay: Error {
    let way: String
}
