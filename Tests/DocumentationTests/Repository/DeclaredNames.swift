// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The names that Swift files of `Sources/` declare.
struct DeclaredNames {
    /// The names of types, protocols and aliases, without the names of the types around them.
    private(set) var types: Set<String> = []
    /// The names of functions, properties and cases.
    private(set) var members: Set<String> = []
    /// The names of the folders of `Sources/`.
    private(set) var targets: Set<String> = []

    /// The names of the repository's sources, read once.
    static let ofSources = Result { try DeclaredNames() }

    private init() throws {
        targets = Set(try Repository.names(in: "Sources"))
        let sources = Repository.root.appendingPathComponent("Sources")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            if file.pathExtension == "swift" { add(try String(contentsOf: file, encoding: .utf8)) }
        }
    }

    init(_ text: String, targets: Set<String> = []) {
        self.targets = targets
        add(text)
    }

    private mutating func add(_ text: String) {
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            var keyword: Substring?
            for word in Substring(line).split(separator: " ") {
                switch keyword {
                case "class", "struct", "enum", "actor", "protocol", "typealias":
                    types.insert(Self.name(word))
                case "func", "var", "let":
                    members.insert(Self.name(word))
                case "case":
                    members.insert(Self.name(word))
                    // `case hit, staleHit`: the next word is a name too.
                    if word.hasSuffix(",") { continue }
                case "//", "///":
                    break
                default:
                    keyword = word
                    continue
                }
                if keyword == "//" || keyword == "///" { break }
                keyword = word
            }
        }
    }

    private static func name(_ word: Substring) -> String {
        String(word.drop { $0 == "`" }.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    }

    /// Whether the sources declare each part of a name such as `Cache`, `TieredCache.FirstPass`,
    /// `CachePolicy.loadLease` or `DiskStore.invalidations()`.
    func has(_ name: Substring) -> Bool {
        name.prefix { $0 != "(" }.split(separator: ".").allSatisfy { part in
            part.first?.isUppercase == true ? types.contains(String(part)) || targets.contains(String(part)) : members.contains(String(part))
        }
    }
}
