// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// The defects of “Write Our Own Cache”: its manager and its disk cache imitated, and Hoard's `TieredCache` and `DiskStore`.
@Suite(.timeLimit(.minutes(5))) struct ObjectStorageDefects {
    private func prove(_ check: (MakeObjectStorage) async throws -> String?, finding: String, at location: SourceLocation = #_sourceLocation)
        async throws
    {
        try await SeedDefectsTests.prove(check, hoard: HoardObjectStorage.init, imitation: SeedObjectStorage.init, finding: finding, at: location)
    }

    @Test func aMissThatNeverCompletes() async throws {
        try await prove(ObjectStorageChecks.missCompletes, finding: "a miss never completes")
    }

    @Test func completingBeforeTheWrite() async throws {
        try await prove(ObjectStorageChecks.storingCompletesAfterTheWrite, finding: "storing completes before the write")
    }

    @Test func ignoringTheFailureOfAWrite() async throws {
        try await prove(ObjectStorageChecks.failureOfTheWriteIsTold, finding: "a write that has failed is taken for one that has not")
    }

    @Test func valuesReadBackAsDataWithoutDecoding() async throws {
        try await prove(ObjectStorageChecks.valuesComeBackDecoded, finding: "what is read back is Data")
    }

    @Test func pathTraversalByKey() async throws {
        try await SeedDefectsTests.prove(
            ObjectStorageChecks.keysNameNoFiles,
            hoard: HoardFileStorage.self as any FileStorage.Type,
            imitation: SeedFileStorage.self as any FileStorage.Type,
            finding: "a key has written the file app/victim"
        )
    }
}
