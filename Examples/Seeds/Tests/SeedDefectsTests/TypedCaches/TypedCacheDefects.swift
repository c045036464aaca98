// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// The defects of “Bộ nhớ đệm trong swift”: its cache imitated, and Hoard's `Cache`.
@Suite(.timeLimit(.minutes(5))) struct TypedCacheDefects {
    private func prove(_ check: (MakeTypedCache) async throws -> String?, finding: String, at location: SourceLocation = #_sourceLocation)
        async throws
    {
        try await SeedDefectsTests.prove(check, hoard: HoardTypedCache.init, imitation: SeedTypedCache.init, finding: finding, at: location)
    }

    @Test func racyKeyTracking() async throws {
        try await prove(TypedCacheChecks.keysAreThoseOfTheValues, finding: "1 keys are tracked, and 0 have values")
    }

    @Test func decodingThatResetsTheConfiguration() async throws {
        try await prove(TypedCacheChecks.restoringKeepsTheConfiguration, finding: "a limit of 2 has become 5 or more")
    }

    @Test func decodingThatRevivesExpiredEntries() async throws {
        try await prove(TypedCacheChecks.restoringKeepsExpiredEntriesAway, finding: "an entry is back whose time was up")
    }

    @Test func wallClockWhereMonotonicIsMeant() async throws {
        try await prove(TypedCacheChecks.lifetimesAreMeasuredByAClockNobodySets, finding: "setting the clock back an hour has lengthened a life")
    }
}
