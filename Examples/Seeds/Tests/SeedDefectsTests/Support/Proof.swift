// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// Runs a check on Hoard, which has to pass it, and on an imitation of the defect, in which the check has to find
/// it. So a check that never finds anything fails.
///
/// - Parameters:
///   - check: Looks for the defect. Returns its finding, in a sentence; `nil` if there is none.
///   - finding: The finding that it has to return for the imitation.
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
