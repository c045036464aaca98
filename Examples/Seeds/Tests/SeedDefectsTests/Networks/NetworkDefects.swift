// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// The defects of “Cache URLResponses in Swift”: its manager imitated, and Hoard's `NetworkManager`.
@Suite(.timeLimit(.minutes(5))) struct NetworkDefects {
    private func prove(
        _ check: (MakeNetwork) async throws -> String?,
        hoard: @escaping MakeNetwork = HoardNetwork.private,
        imitation: @escaping MakeNetwork = SeedNetwork.keyedByEquality,
        finding: String,
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        try await SeedDefectsTests.prove(check, hoard: hoard, imitation: imitation, finding: finding, at: location)
    }

    @Test func lookingUpPOSTInTheCacheAndNotSendingIt() async throws {
        let finding = "a POST was not sent, and answered with: old"
        try await prove(NetworkChecks.postIsSent, imitation: SeedNetwork.keyedByDescription, finding: finding)
    }

    @Test func sharingRepliesBetweenUsersByAuthorization() async throws {
        try await prove(NetworkChecks.tokensAreKeptApart, finding: "the second user gets what is for Bearer anna")
    }

    @Test func sharingRepliesBetweenUsersByAuthorizationInASharedCache() async throws {
        let finding = "the second user gets what is for Bearer anna"
        try await prove(NetworkChecks.tokensAreKeptApart, hoard: HoardNetwork.shared, finding: finding)
    }

    @Test func sharingRepliesBetweenUsersByAcceptLanguage() async throws {
        try await prove(NetworkChecks.languagesAreKeptApart, finding: "the second user gets what is for en")
    }

    @Test func ignoringNoStore() async throws {
        try await prove(NetworkChecks.noStoreIsObeyed, finding: "what must not be stored is used again")
    }

    @Test func ignoringPrivate() async throws {
        try await prove(NetworkChecks.privateIsObeyed, hoard: HoardNetwork.shared, finding: "what is one user's is used again for all")
    }

    @Test func ignoringVary() async throws {
        try await prove(NetworkChecks.varyIsObeyed, finding: "the second request gets what is for text/html")
    }

    @Test func ignoringMaxAge() async throws {
        try await prove(NetworkChecks.maxAgeIsObeyed, finding: "what is a minute old is used as if it were fresh")
    }

    @Test func twoCompletionsOnOneCall() async throws {
        try await prove(NetworkChecks.callsCompleteOnce, finding: "a request that cannot be written completes 2 times")
    }

    @Test func statusesBeyondSuccessDeliveredAsSuccess() async throws {
        try await prove(NetworkChecks.otherStatusesAreErrors, finding: "the status 500 is delivered as success")
    }

    @Test func keysFromTheDescriptionOfARequest() async throws {
        let finding = "a GET gets the empty answer to a HEAD"
        try await prove(NetworkChecks.methodsAreKeptApart, imitation: SeedNetwork.keyedByDescription, finding: finding)
    }

    @Test func keysFromTheEqualityOfRequests() async throws {
        let finding = "requests that differ in a field get one answer: for session=anna"
        try await prove(NetworkChecks.fieldsAreKeptApart, finding: finding)
    }
}
