// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// The defects of “View Client”: its client imitated, and Hoard's `ViewClient`.
@Suite(.timeLimit(.minutes(5))) struct ViewClientDefects {
    private func prove(_ check: (MakeScreenClient) async throws -> String?, finding: String, at location: SourceLocation = #_sourceLocation)
        async throws
    {
        let (hoard, imitation): (MakeScreenClient, MakeScreenClient) = (HoardScreenClient.make, SeedViewClient.make)
        try await SeedDefectsTests.prove(check, hoard: hoard, imitation: imitation, finding: finding, at: location)
    }

    @Test func decodingTwice() async throws {
        try await prove(ViewClientChecks.screensAreDecodedOnce, finding: "one screen is decoded 2 times")
    }

    @Test func cachingForEver() async throws {
        try await prove(ViewClientChecks.screensAreKeptForTheirTime, finding: "a screen is shown after its time")
    }

    @Test func prefetchThatIgnoresTheCache() async throws {
        try await prove(ViewClientChecks.prefetchAsksTheCache, finding: "a screen that is there is asked for 2 times more")
    }

    @Test func prefetchThatIsNotJoined() async throws {
        try await prove(ViewClientChecks.prefetchIsJoined, finding: "a fetch does not wait for the prefetch under way")
    }

    @Test func prefetchThatCannotBeCancelled() async throws {
        try await prove(ViewClientChecks.prefetchCanBeCancelled, finding: "there is nothing to cancel a prefetch with")
    }

    @Test func globalSingletonsThatSurviveLogout() async throws {
        try await prove(ViewClientChecks.logoutForgetsAUser, finding: "the next user sees the screen of the one who has left")
    }
}
