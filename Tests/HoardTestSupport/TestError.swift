// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The errors that loaders and codecs throw in these tests.
package struct TestError: Error, Equatable {
    package var number: Int

    package init(number: Int = 0) { self.number = number }
}

/// The error of `body`, or `nil` if it throws none.
package func error<Result>(of body: () async throws -> Result) async -> (any Error)? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}
