// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The options of several advice as settings of `hoard proxy`, in YAML, ready to be pasted.
///
/// The first route that fits a request decides, so that longer paths come first, and have the settings of shorter ones too. The last route takes all other paths.
package struct AdviceSettings {
    private let settings: [Advice.Setting]

    package init(_ advice: [Advice]) {
        settings = advice.flatMap(\.settings)
    }

    /// The text; empty if there are no settings.
    package var text: String { lines.map { $0 + "\n" }.joined() }

    private var lines: [String] {
        // Advice about several paths may ask for the same, and no option may stand there twice.
        var names: Set<String> = []
        let cache = settings.filter { $0.path == nil && names.insert($0.name).inserted }
        let paths = Set(settings.compactMap(\.path)).sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
        var lines: [String] = []
        if !cache.isEmpty { lines += ["cache:"] + cache.map { "  \($0.name): \($0.value)" } }
        // Without a route for the rest, the proxy would answer all other paths with 404.
        let routes = paths.isEmpty || paths.contains("/") ? paths : paths + ["/"]
        if !routes.isEmpty { lines += ["routes:"] + routes.flatMap(route) }
        return lines
    }

    private func route(_ path: String) -> [String] {
        // Of several that fit, the longest path is the closest.
        var values: [String: Advice.Setting] = [:]
        for setting in settings {
            guard let beginning = setting.path, path.hasPrefix(beginning) else { continue }
            if values[setting.name].map({ $0.path?.utf8.count ?? 0 < beginning.utf8.count }) ?? true { values[setting.name] = setting }
        }
        // The proxy refuses them beside a bypass: what passes the cache by is not stored. The closest counts here, too.
        if let bypass = values["bypass"] {
            let length = bypass.path?.utf8.count ?? 0
            if Self.namesForStored.contains(where: { values[$0]?.path?.utf8.count ?? 0 > length }) {
                values["bypass"] = nil
            } else {
                for name in Self.namesForStored { values[name] = nil }
            }
        }
        return ["  - path: \(Self.text(path))"] + values.values.sorted { $0.name < $1.name }.map { "    \($0.name): \($0.value)" }
    }

    /// The options of routes that mean something for stored responses only.
    private static let namesForStored = ["ignore-query", "lifetime", "stale-if-error", "stale-while-revalidate"]

    /// A path comes from a log, and may have any character: a scalar in quotation marks (YAML 1.2 §7.3.1), unless it is plain.
    private static func text(_ path: String) -> String {
        let isPlain = path.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || [0x2f, 0x2e, 0x2d, 0x5f].contains(byte)
        }
        guard !isPlain else { return path }
        let escaped = path.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar.value < 0x20 || (0x7f...0xa0).contains(scalar.value) || scalar.value == 0x2028 || scalar.value == 0x2029:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return "\"\(escaped)\""
    }
}

extension Advisor.Report {
    /// The options of all advice as settings of `hoard proxy`, in YAML; empty if there are none.
    public var settings: String { AdviceSettings(advice).text }
}
