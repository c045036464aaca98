// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The targets in the text of Package.swift whose sources lie in `Sources/`.
struct PackageManifest {
    struct Target: Equatable {
        let name: String
        /// The product whose only target this is, if there is one.
        let product: String?
        /// The targets that this target names as dependencies.
        let targets: Set<String>
        /// The packages that this target names.
        let packages: Set<String>
    }

    /// The targets, in the manifest's order.
    let targets: [Target]

    init(_ text: String) {
        var products: [String: String] = [:]
        for match in text.matches(of: /\.(?:library|executable)\(name: "([^"]+)", targets: \["([^"]+)"\]\)/) {
            products[String(match.output.2)] = String(match.output.1)
        }
        var packages: [Substring: String] = [:]
        for match in text.matches(of: /let (\w+): Target\.Dependency = \.product\(\s*name: "[^"]+",\s*package: "([^"]+)"/) {
            packages[match.output.1] = String(match.output.2)
        }
        targets = Self.blocks(of: text).compactMap { block in
            guard let name = block.firstMatch(of: /name: "([^"]+)"/)?.output.1, !block.contains("path:") else { return nil }
            let (targets, others) = Self.dependencies(in: block, packages)
            return Target(name: String(name), product: products[String(name)], targets: targets, packages: others)
        }
    }

    /// The texts of the targets, tests left out. Each begins on a line of its own, with eight blanks before it.
    private static func blocks(of text: String) -> [String] {
        var blocks: [String] = []
        var lines: [Substring]?
        for line in text.split(separator: "\n") {
            if line.hasPrefix("        .target(") || line.hasPrefix("        .executableTarget(") || line.hasPrefix("        .macro(")
                || line.hasPrefix("        .systemLibrary(")
            {
                lines = []
            }
            guard lines != nil else { continue }
            lines?.append(line)
            if line == "        )," || lines?.count == 1 && line.hasSuffix("),") {
                blocks.append((lines ?? []).joined(separator: "\n"))
                lines = nil
            }
        }
        return blocks
    }

    private static func dependencies(in block: String, _ variables: [Substring: String]) -> (targets: Set<String>, packages: Set<String>) {
        guard let start = block.firstRange(of: "dependencies: ")?.upperBound else { return ([], []) }
        let rest = block[start...]
        let end = [" swiftSettings:", " exclude:", " cSettings:"].compactMap { rest.firstRange(of: $0)?.lowerBound }.min() ?? rest.endIndex
        var targets: Set<String> = []
        var packages: Set<String> = []
        for line in rest[..<end].split(separator: "\n") where !line.drop(while: { $0 == " " }).hasPrefix("//") {
            if line.hasPrefix("syntax(") {
                packages.insert("swift-syntax")
            } else if let package = line.firstMatch(of: /\.product\(.* package: "([^"]+)"/)?.output.1 {
                packages.insert(String(package))
            } else if let target = line.firstMatch(of: /\.target\(name: "([^"]+)"/)?.output.1 {
                targets.insert(String(target))
            } else {
                for word in line.matches(of: /"([^"]+)"|\b([a-z]\w*)\b/) {
                    if let target = word.output.1 { targets.insert(String(target)) }
                    if let variable = word.output.2, let package = variables[variable] { packages.insert(package) }
                }
            }
        }
        return (targets, packages)
    }

    /// All targets that can be reached over any number of arrows. Accepts any names, even those of no target.
    static func reachable(from name: String, _ arrows: [String: Set<String>]) -> Set<String> {
        var found: Set<String> = []
        var waiting = Array(arrows[name] ?? [])
        while let target = waiting.popLast() {
            if found.insert(target).inserted { waiting += arrows[target] ?? [] }
        }
        return found
    }
}
