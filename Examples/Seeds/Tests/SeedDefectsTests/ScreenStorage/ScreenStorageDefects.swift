// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// The defects of “Gerenciar Cache”: its disk manager and cache imitated, and Hoard's `CacheManager`.
@Suite(.timeLimit(.minutes(5))) struct ScreenStorageDefects {
    private func prove(_ check: (MakeScreenStorage) async throws -> String?, finding: String, at location: SourceLocation = #_sourceLocation)
        async throws
    {
        let (hoard, imitation): (MakeScreenStorage, MakeScreenStorage) = (HoardScreenStorage.make, SeedScreenStorage.make)
        try await SeedDefectsTests.prove(check, hoard: hoard, imitation: imitation, finding: finding, at: location)
    }

    @Test func maxAgeAlwaysZeroFromDisk() async throws {
        try await prove(ScreenStorageChecks.freshnessSurvivesTheDisk, finding: "a max age of 60 has become 0")
    }

    @Test func aReadRewritingTheCreationTime() async throws {
        try await prove(ScreenStorageChecks.readingLeavesTheTimeOfCreation, finding: "reading has moved the time of creation by 30 seconds")
    }

    @Test func capacityInEntriesOnly() async throws {
        try await prove(ScreenStorageChecks.bytesAreLimited, finding: "more bytes are kept than may be, from screen 10 on")
    }

    @Test func oneSavePerRead() async throws {
        try await prove(ScreenStorageChecks.readingSavesNothing, finding: "reading has written to the disk")
    }

    @Test func storedScreensThatSurviveLogout() async throws {
        try await prove(ScreenStorageChecks.logoutForgetsAUser, finding: "the next user gets the profile of the one who has left")
    }
}
