// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// `docs/architecture.md` shows targets and types that exist.
@Suite struct ArchitectureTests {
    private let document: ReferenceDocument
    private let manifest: PackageManifest

    init() throws {
        document = try ReferenceDocument("docs/architecture.md")
        manifest = PackageManifest(try Repository.text("Package.swift"))
    }

    private func isOfC(_ name: String) -> Bool { name.firstMatch(of: /^C[A-Z]/) != nil }

    @Test func theManifestIsUnderstood() throws {
        #expect(manifest.targets.count >= 27)
        #expect(manifest.targets.allSatisfy { Repository.has("Sources/\($0.name)") })
        let known = Set(manifest.targets.map(\.name))
        #expect(manifest.targets.allSatisfy { $0.targets.isSubset(of: known) })
    }

    @Test func theTableOfTargetsIsThatOfTheManifest() {
        func list(_ names: Set<String>, _ quote: String = "") -> String {
            names.isEmpty ? "–" : names.sorted().map { quote + $0 + quote }.joined(separator: ", ")
        }
        let expected = manifest.targets.map { target in
            ["`\(target.name)`", target.product.map { "`\($0)`" } ?? "–", list(target.targets, "`"), list(target.packages)]
        }
        #expect(document.rows == expected, "docs/architecture.md is out of date; Scripts/architecture writes it anew.")
    }

    @Test func theDrawingOfTargetsSaysWhatTheManifestSays() throws {
        let lines = try #require(document.blocks("mermaid").first)
        var drawn: [String: Set<String>] = [:]
        for line in lines {
            if let arrow = line.wholeMatch(of: #/ *(\w+) --> (\w+)/#)?.output { drawn[String(arrow.1), default: []].insert(String(arrow.2)) }
        }
        var imports: [String: Set<String>] = [:]
        for target in manifest.targets where !isOfC(target.name) { imports[target.name] = target.targets.filter { !isOfC($0) } }
        for name in imports.keys.sorted() {
            let isSame = PackageManifest.reachable(from: name, drawn) == PackageManifest.reachable(from: name, imports)
            #expect(isSame, "\(name) is drawn wrong; Scripts/architecture draws it anew.")
            for target in drawn[name] ?? [] {
                let others = (drawn[name] ?? []).subtracting([target])
                let isNeeded = !others.contains { PackageManifest.reachable(from: $0, drawn).contains(target) }
                #expect(isNeeded, "The arrow from \(name) to \(target) says nothing new.")
            }
        }
        #expect(Set(document.boxes.prefix(imports.count).map(String.init)) == Set(imports.keys))
    }

    @Test func eachBoxIsATargetOrAType() throws {
        let names = try DeclaredNames.ofSources.get()
        #expect(document.blocks("mermaid").count == 6)
        #expect(document.boxes.count >= 80)
        #expect(document.boxes.filter { !names.has($0) } == [])
    }

    @Test func eachNameAndEachLinkLeadsSomewhere() throws {
        #expect(document.quotedNames.count >= 60)
        #expect(document.unknownNames(try DeclaredNames.ofSources.get()) == [])
        #expect(document.brokenLinks == [])
    }
}

/// The checks above find mistakes.
@Suite struct ReferenceDocumentTests {
    @Test func aManifestIsRead() {
        let manifest = PackageManifest(
            """
            let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
                products: [
                    .library(name: "One", targets: ["One"]),
                ],
                targets: [
                    .target(name: "One", swiftSettings: swiftSettings),
                    .target(
                        name: "Two",
                        dependencies: [
                            "One", logging,
                            .product(name: "Yams", package: "Yams"),
                            .target(name: "CThree", condition: .when(traits: enabling("Three"))),
                        ],
                        swiftSettings: swiftSettings
                    ),
                    .target(
                        name: "Support",
                        path: "Tests/Support"
                    ),
                    .testTarget(name: "OneTests", dependencies: ["One"]),
                ]
            """
        )
        #expect(
            manifest.targets == [
                .init(name: "One", product: "One", targets: [], packages: []),
                .init(name: "Two", product: nil, targets: ["One", "CThree"], packages: ["swift-log", "Yams"]),
            ]
        )
    }

    @Test func namesAreKnownPartByPart() {
        let names = DeclaredNames(
            """
            public struct Cache<Key>: Sendable {
                case hit, staleHit(Int)
                /// Not a struct Comment.
                func value(forKey key: Key) {}
            """,
            targets: ["Hoard"]
        )
        for name in ["Cache", "Cache.staleHit", "Cache.value(forKey:)", "Hoard"] { #expect(names.has(name[...]), "\(name)") }
        for name in ["Comment", "Cache.miss", "Key", "HoardDisk"] { #expect(!names.has(name[...]), "\(name)") }
    }

    @Test func aDocumentIsTakenApart() {
        let document = ReferenceDocument(
            path: "docs/example.md",
            text: """
                # A `Cache`: what's in it

                `Cache` and `Nothing`, `a.b`, [here](#a-cache-whats-in-it), [there](#there), [away](nowhere.md), [web](https://example.com).

                ```mermaid
                  one["Cache<br/>of one"] -->|"x"| two(["not a type"])
                  three[("SQLite")] --> four["Four"]
                ```
                """
        )
        #expect(document.boxes == ["Cache", "Four"])
        #expect(document.quotedNames == ["Cache", "Cache", "Nothing"])
        #expect(document.page.anchors == ["a-cache-whats-in-it"])
        #expect(document.brokenLinks == ["#there is no heading there", "nowhere.md does not exist"])
        #expect(document.unknownNames(DeclaredNames("struct Cache {")) == ["Nothing is not in the sources."])
    }
}
