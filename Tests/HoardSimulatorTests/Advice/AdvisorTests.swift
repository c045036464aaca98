// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardSimulator

@Suite struct AdvisorTests {
    /// A capacity that holds all of a site without faults, with little room to spare.
    private static let capacity = SimulationCapacity.bytes(8 << 20)

    private func report(_ site: SiteModel, seed: UInt64, capacity: SimulationCapacity = capacity) async throws -> Advisor.Report {
        let directory = try TraceDirectory()
        let path = try directory.write(site.log(seed: seed).utf8, to: "access.log")
        return try await Advisor(path: path, capacity: capacity).report()
    }

    /// Expects one advice of this kind, and no other.
    private func expect(
        _ kind: Advice.Kind,
        at path: String?,
        of site: SiteModel,
        capacity: SimulationCapacity = capacity,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for seed in [1, 2, 3] as [UInt64] {
            let report = try await report(site, seed: seed, capacity: capacity)
            let found = report.advice.map { "\($0.kind) \($0.path ?? "-")" }
            #expect(found == ["\(kind) \(path ?? "-")"], "seed \(seed): \(report.advice)", sourceLocation: sourceLocation)
            for advice in report.advice {
                if let effect = advice.effect, kind != .lessMemory, kind != .bypass {
                    #expect(effect.after >= effect.before + 0.005, "\(effect)", sourceLocation: sourceLocation)
                }
            }
        }
    }

    @Test func siteWithoutFaultsGetsNoAdvice() async throws {
        for seed in 1...5 as ClosedRange<UInt64> {
            let report = try await report(SiteModel(sections: [.images, .pages]), seed: seed)
            #expect(report.advice.isEmpty, "seed \(seed): \(report.advice)")
        }
    }

    @Test(arguments: [["utm_source", "utm_medium"], ["sid"]])
    func parameterThatSplitsObjectsIsFound(parameters: [String]) async throws {
        var images = SiteModel.Section.images
        (images.queryShare, images.parameters) = (0.5, parameters)
        try await expect(.ignoredParameters, at: "/images/", of: SiteModel(sections: [images, .pages]))
    }

    @Test func memoryIsJudgedAsIfParametersWereIgnored() async throws {
        var images = SiteModel.Section.images
        (images.queryShare, images.parameters) = (0.5, ["utm_source"])
        // With hundreds of copies of each object, even 64 MiB are too little. With one copy of
        // each, 8 MiB are enough.
        let report = try await report(SiteModel(sections: [images, .pages]), seed: 1, capacity: .bytes(1 << 20))
        #expect(report.advice.map(\.kind) == [.ignoredParameters, .moreMemory] || report.advice.map(\.kind) == [.moreMemory, .ignoredParameters])
        let size = try #require(report.advice.first { $0.kind == .moreMemory })
        #expect(size.settings.first?.value == "8MiB", "\(size)")
        #expect(size.effect?.argumentsAfter.contains("--ignore-query") == true)
    }

    @Test func lifetimeThatIsTooShortIsFound() async throws {
        let api = SiteModel.Section(path: "/api/", weight: 4, objects: 60, size: 900, lifetime: 5_000, hasValidators: true)
        try await expect(.longerLifetime, at: "/api/", of: SiteModel(sections: [.images, .pages, api]))
    }

    @Test func lifetimeThatIsMissingIsFound() async throws {
        let data = SiteModel.Section(path: "/data/", weight: 4, objects: 60, size: 900)
        try await expect(.missingLifetime, at: "/data/", of: SiteModel(sections: [.images, .pages, data]))
    }

    @Test func cacheThatIsTooSmallIsFound() async throws {
        let site = SiteModel(sections: [.images, .pages], capacity: 1 << 20)
        try await expect(.moreMemory, at: nil, of: site, capacity: .bytes(1 << 20))
    }

    @Test func cacheThatIsTooLargeIsFound() async throws {
        try await expect(.lessMemory, at: nil, of: SiteModel(sections: [.images, .pages]), capacity: .bytes(512 << 20))
    }

    @Test func objectsThatNobodyAsksForAgainAreFound() async throws {
        let reports = SiteModel.Section(path: "/reports/", weight: 1, objects: 10, size: 20_000, lifetime: 100_000_000, isOnce: true)
        try await expect(.bypass, at: "/reports/", of: SiteModel(sections: [.images, .pages, reports]), capacity: .bytes(16 << 20))
    }

    @Test func variantsOfAgentsAreFound() async throws {
        var images = SiteModel.Section.images
        images.variesByAgent = true
        try await expect(.variants, at: "/images/", of: SiteModel(sections: [images, .pages]))
    }

    @Test func validatorsThatAreMissingAreFound() async throws {
        let videos = SiteModel.Section(path: "/videos/", weight: 2, objects: 5, size: 200_000, lifetime: 60_000)
        try await expect(.validators, at: "/videos/", of: SiteModel(sections: [.images, .pages, videos]), capacity: .bytes(16 << 20))
    }

    @Test func waitingForReloadsIsFound() async throws {
        let slow = SiteModel.Section(path: "/search/", weight: 2, objects: 20, size: 2_000, lifetime: 10_000, period: 8_000, load: 800)
        try await expect(.staleWhileRevalidate, at: "/search/", of: SiteModel(sections: [.images, .pages, slow]))
    }

    @Test func loadsThatOverlapAreFound() async throws {
        let news = SiteModel.Section(path: "/news/", weight: 8, objects: 400, size: 2_000, lifetime: 100_000_000, load: 900)
        try await expect(.collapsing, at: "/news/", of: SiteModel(sections: [.images, .pages, news], span: 120_000, collapses: false))
    }

    @Test func failuresThatClientsSeeAreFound() async throws {
        var pages = SiteModel.Section.pages
        pages.failingPercent = 5
        try await expect(.staleIfError, at: "/pages/", of: SiteModel(sections: [.images, pages]))
    }
}
