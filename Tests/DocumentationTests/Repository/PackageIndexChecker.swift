// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A check of `.spi.yml`, which tells the Swift Package Index and `Scripts/documentation` the modules that have documentation.
struct PackageIndexChecker {
    /// The text of Package.swift.
    let manifest: String

    /// Modules that are no products, but that products export again.
    static let exportedModules: Set<String> = ["HoardMessages"]

    /// The libraries that the manifest offers, in its order.
    var libraries: [String] {
        manifest.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /^ *\.library\(name: "([^"]+)"/).map { String($0.output.1) }
        }
    }

    /// Returns a sentence for each mistake of a file `.spi.yml`.
    func problems(in text: String) -> [String] {
        let index: YAMLValue
        do {
            index = try YAMLValue(yaml: text)
        } catch {
            return ["The file is no YAML: \(error)"]
        }
        guard index["version"]?.text == "1" else { return ["The version is not 1."] }
        guard let modules = index["builder"]?["configs"]?.list?.first?["documentation_targets"]?.list?.compactMap(\.text) else {
            return ["The first of “builder: configs:” has no list “documentation_targets”."]
        }
        let wanted = Set(libraries).union(Self.exportedModules)
        let missing = wanted.subtracting(modules).sorted().map { "\($0) is missing." }
        let unknown = Set(modules).subtracting(wanted).sorted().map { "\($0) is no library of Package.swift." }
        let repeated = Dictionary(grouping: modules) { $0 }.filter { $0.value.count > 1 }.keys.sorted().map { "\($0) stands there twice." }
        // Scripts/documentation reads the list from one line.
        let isOneLine = text.split(separator: "\n").contains { $0.contains("documentation_targets: [") && $0.hasSuffix("]") }
        return missing + unknown + repeated + (isOneLine ? [] : ["The list is not on one line."])
    }
}
