// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension ProxySettings {
    /// The settings as a file that can be read again, each with its meaning. Secrets are not in it.
    package var yaml: String {
        var lines = ["# What hoard proxy is set to. Options with # before them are not set."]
        Self.append(.section(Self.schema.written(effective)), indent: "", to: &lines)
        return lines.joined(separator: "\n") + "\n"
    }

    /// The settings with those filled in that follow from others.
    private var effective: Self {
        var settings = self
        settings.cache.givenDiskByteCount = diskByteCount
        if !origins.isEmpty, upstreams.isEmpty {
            var upstream = originUpstream
            (upstream.name, upstream.upstream.servers) = ("origin", origins)
            (settings.upstreams, settings.origins) = ([upstream], [])
        }
        if settings.routes.isEmpty { settings.routes = [Route()] }
        if settings.upstreams.count == 1, settings.upstreams[0].name == nil { settings.upstreams[0].name = "origin" }
        if let name = settings.upstreams.first?.name, settings.upstreams.count == 1 {
            for index in settings.routes.indices where settings.routes[index].upstream == nil { settings.routes[index].upstream = name }
        }
        return settings
    }

    private static func append(_ yaml: SettingYAML, indent: String, isItem: Bool = false, to lines: inout [String]) {
        guard case .section(let members) = yaml else { return }
        var isFirst = isItem
        for (name, summary, value) in members {
            // The first line of an item begins with a dash, so its comment comes before that.
            let start = isFirst ? String(indent.dropLast(2)) + "- " : indent
            if indent.isEmpty { lines.append("") }
            for line in wrapped(summary, width: 110 - indent.count) { lines.append("\(isFirst ? String(indent.dropLast(2)) : indent)# \(line)") }
            guard let value else {
                lines.append("\(isFirst ? String(indent.dropLast(2)) : indent)# \(name):")
                continue
            }
            isFirst = false
            switch value {
            case .scalar(let text):
                lines.append("\(start)\(name): \(quoted(text))")
            case .section:
                lines.append("\(start)\(name):")
                append(value, indent: indent + "  ", to: &lines)
            case .list(let items):
                if items.isEmpty {
                    lines.append("\(start)\(name): []")
                } else {
                    lines.append("\(start)\(name):")
                    for item in items { append(item: item, indent: indent + "  ", to: &lines) }
                }
            }
        }
    }

    private static func append(item: SettingYAML, indent: String, to lines: inout [String]) {
        if case .scalar(let text) = item { return lines.append("\(indent)- \(quoted(text))") }
        append(item, indent: indent + "  ", isItem: true, to: &lines)
    }

    /// A text that is read back as the same.
    private static func quoted(_ text: String) -> String {
        let isPlain =
            !text.isEmpty && text.utf8.first != UInt8(ascii: "-")
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "/"): true
                default: false
                }
            }
        if isPlain, !["null", "true", "false", "on", "off"].contains(text.lowercased()) { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\u{0}"..<"\u{20}", "\u{7F}"..."\u{9F}":
                quoted += "\\u" + String(repeating: "0", count: 4 - hexadecimal(scalar).count) + hexadecimal(scalar)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    private static func hexadecimal(_ scalar: Unicode.Scalar) -> String { String(scalar.value, radix: 16) }

    /// A text in lines of a width.
    static func wrapped(_ text: String, width: Int) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            if !lines[lines.count - 1].isEmpty, lines[lines.count - 1].count + word.count >= width { lines.append("") }
            lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
        }
        return lines
    }
}
