// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `docs/seeds.md`: all names in it exist, and nothing is left out.
@Suite(.timeLimit(.minutes(5))) struct SeedDocumentTests {
    private let repository = Repository()
    private static let sources = Result { try Repository().sources(in: "Sources").map(SourceFile.init) }

    private func tables() throws -> [DocumentTable] { DocumentTable.all(in: try repository.text(of: "docs/seeds.md")) }

    @Test func typesAndMembersExist() throws {
        let sources = try Self.sources.get()
        let names = try tables().flatMap { $0.column("Here") }.flatMap(\.codeSpans)
        #expect(names.count > 80)
        for name in Set(names).sorted() {
            let problem = DocumentedName(text: name).problem(in: sources)
            #expect(problem == nil, "\(name)")
        }
    }

    @Test(
        arguments: [
            ("Cache", nil), ("Cache.insert(_:forKey:)", nil), ("Cache.Configuration.maximumCount", nil), ("Cache[key]", nil), ("RecordKey(_:)", nil),
            ("Hoarder", "no type Hoarder"), ("Cache.store", "no store of Cache"), ("Cache.insert(_:key:)", "no insert(_:key:) of Cache"),
            ("Record[key]", "no subscript of Record"), ("RecordKey(name:)", "no initializer RecordKey(name:)"),
        ] as [(String, String?)]
    )
    func aNameThatIsNotThereIsNoticed(name: String, problem: String?) throws {
        #expect(DocumentedName(text: name).problem(in: try Self.sources.get()) == problem)
    }

    @Test func testsExist() throws {
        let sources = try repository.sources(in: "Tests", "Examples/Seeds/Tests").map(SourceFile.init)
        let names = try tables().flatMap { $0.column("Test") }.flatMap(\.codeSpans)
        #expect(names.count > 30)
        for name in Set(names).sorted() {
            let parts = name.split(separator: ".").map(String.init)
            let suites = sources.filter { $0.declared.contains(parts[0]) || $0.extended.contains(parts[0]) }
            #expect(!suites.isEmpty, "\(name)")
            if parts.count > 1 { #expect(suites.contains { $0.members.contains(parts[1]) }, "\(name)") }
        }
    }

    @Test func everyTestOfADefectIsInTheTable() throws {
        let listed = Set(try tables().flatMap { $0.column("Test") }.flatMap(\.codeSpans))
        var count = 0
        for source in try repository.sources(in: "Examples/Seeds/Tests/SeedDefectsTests") {
            guard let suite = source.firstMatch(of: /@Suite.* struct (\w+)/)?.1 else { continue }
            for test in source.matches(of: /@Test func (\w+)\(/) {
                count += 1
                #expect(listed.contains("\(suite).\(test.1)"))
            }
        }
        #expect(count > 30)
    }

    @Test func everyTypeOfTheTutorialsHasARow() throws {
        let named = Set(
            try tables().flatMap { $0.column("There") }.flatMap(\.codeSpans).map { String($0.prefix { $0.isLetter || $0.isNumber }) }
        )
        let types = [
            "CacheManagerProtocol", "CacheReference", "CacheEntity", "CacheDiskManagerProtocol", "DefaultCacheDiskManager", "CustomCache",
            "BeagleConfig", "InnerDependencies", "Cachable", "UIImage", "Cache", "MemoryCache", "DiskCache", "Hoard", "ViewClientProtocol",
            "ViewClientCustom",
            "WrappedKey", "Entry", "KeyTracker", "MockCacheManager", "NetworkError", "HTTPMethod", "NetworkManager",
        ]
        #expect(named.isSuperset(of: types), "\(Set(types).subtracting(named).sorted())")
    }

    @Test func programsExistAndEachHasARow() throws {
        let named = Set(try tables().flatMap { $0.column("Example") }.flatMap(\.codeSpans))
        #expect(named == Set(SeedProgram.all.map(\.name)))
        for name in named { #expect(repository.exists("Examples/Seeds/Sources/\(name)/\(name).swift")) }
    }

    @Test(arguments: ["docs/seeds.md", "Examples/Seeds/README.md"]) func linksLeadToFiles(document: String) throws {
        let directory = URL(fileURLWithPath: "/" + document).deletingLastPathComponent()
        for link in try repository.text(of: document).matches(of: /\]\(([^)]+)\)/) where !link.1.hasPrefix("http") {
            let path = String(directory.appendingPathComponent(String(link.1)).standardized.path.dropFirst())
            #expect(repository.exists(path), "\(link.1)")
        }
    }
}
