// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The errors that loaders and codecs throw in these tests.
struct TestError: Error, Equatable {
    var number = 0
}

/// A value that reports its own release, and runs a function at that moment.
final class Witness: Sendable {
    let number: Int
    private let onRelease: @Sendable (Int) -> Void

    init(_ number: Int = 0, onRelease: @escaping @Sendable (Int) -> Void) {
        self.number = number
        self.onRelease = onRelease
    }

    deinit { onRelease(number) }
}

/// The error of `body`, or `nil` if it throws none.
func error<Result>(of body: () async throws -> Result) async -> (any Error)? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}
