// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// Runs a check on what has to pass it, and on an imitation of the defect, which has to be found. So a check that finds nothing anywhere fails.
///
/// - Parameters:
///   - check: Looks for the defect. Returns what it found, in a sentence; `nil` if nothing.
///   - finding: What it has to find in the imitation.
func prove<Subject>(
    _ check: (Subject) async throws -> String?,
    hoard: Subject,
    imitation: Subject,
    finding: String,
    at location: SourceLocation = #_sourceLocation
) async throws {
    let defect = try await check(hoard)
    #expect(defect == nil, "Hoard has the defect.", sourceLocation: location)
    let found = try await check(imitation)
    #expect(found == finding, "The check does not see the defect.", sourceLocation: location)
}
