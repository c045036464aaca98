// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// The table of products agrees with the checks of `Scripts/consumers`.
@Suite struct ProductTableTests {
    /// The list that the first lines of a program in `Tests/Consumers` give under a name.
    private static func header(_ product: String, _ name: String) throws -> [Substring] {
        let prefix = "// \(name):"
        let line = try Repository.text("Tests/Consumers/\(product).swift").split(separator: "\n").first { $0.hasPrefix(prefix) }
        return line?.dropFirst(prefix.count).split(separator: " ") ?? []
    }

    /// The cells of the table's rows.
    private static func rows() throws -> [[String]] {
        try Repository.text("docs/products.md").split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2)
            .map { row in row.split(separator: "|").map { $0.split(separator: " ").joined(separator: " ") } }
    }

    @Test func everyProductStandsThereWithItsTraitAndItsPackages() throws {
        let rows = try Self.rows()
        for product in try Repository.names(in: "Tests/Consumers").filter({ $0.hasSuffix(".swift") }).map({ String($0.dropLast(".swift".count)) }) {
            let row = try #require(rows.first { $0[1] == "`\(product)`" }, "\(product) is missing.")
            let traits = try Self.header(product, "traits")
            #expect(row[2] == (traits.isEmpty ? "none" : traits.map { "`\($0)`" }.joined(separator: ", ")), "\(product)")
            #expect(row[3] == String(try Self.header(product, "packages").count), "\(product)")
        }
    }

    @Test func everyLibraryOfThePackageStandsThere() throws {
        let rows = try Self.rows()
        for library in PackageIndexChecker(manifest: try Repository.text("Package.swift")).libraries {
            #expect(rows.contains { $0[1] == "`\(library)`" }, "\(library)")
        }
    }
}
