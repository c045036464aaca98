// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A manual page of a command, in the macros of man(7).
struct ManualPage {
    let help: CommandHelp
    /// The commands that this one belongs to: `["hoard"]` for `hoard proxy`.
    let parents: [String]
    let version: String
    /// The commands that have pages beside this one.
    let others: [String]

    private var words: [String] { parents + [help.commandName] }
    private var name: String { words.joined(separator: "-") }

    var fileName: String { "\(name).1" }

    /// All pages: one for the command, and one for each command below it, which also
    /// describes the commands below itself.
    static func pages(of root: CommandHelp, version: String) -> [ManualPage] {
        let names = [root.commandName] + root.commands.map { "\(root.commandName)-\($0.commandName)" }
        let pages = root.commands.map { ManualPage(help: $0, parents: [root.commandName], version: version, others: names) }
        return [ManualPage(help: root, parents: [], version: version, others: names)] + pages
    }

    var text: String {
        var lines = [
            ".\\\" This file is part of Hoard, the caching toolkit for Swift.",
            ".\\\" SPDX-License-Identifier: Apache-2.0",
            ".\\\" Made by Scripts/dist from what the command says of itself.",
            ".TH \(Roff.argument(name.uppercased())) 1 \"\" \(Roff.argument("Hoard \(version)")) \(Roff.argument("Hoard"))",
            ".SH NAME",
            "\(Roff.text(name)) \\- \(Roff.text(Self.withoutPeriod(help.abstract ?? "")))",
            ".SH SYNOPSIS",
        ]
        lines += Self.synopsis(of: help, words)
        if let discussion = help.discussion, !discussion.isEmpty { lines += [".SH DESCRIPTION"] + Roff.paragraphs(discussion) }
        lines += options(of: help, heading: ".SH OPTIONS", subheading: ".SS")
        if !help.commands.isEmpty {
            lines.append(".SH COMMANDS")
            lines += parents.isEmpty ? commandList : help.commands.flatMap(section(of:))
        }
        let seen = others.filter { $0 != name }
        if !seen.isEmpty {
            lines.append(".SH SEE ALSO")
            lines += seen.enumerated().map { ".BR \(Roff.argument($1)) (1)\($0 == seen.count - 1 ? "" : ",")" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: Sections

    private static func synopsis(of help: CommandHelp, _ words: [String]) -> [String] {
        var parts = help.options.isEmpty ? [] : ["[\\fIoptions\\fR]"]
        if !help.commands.isEmpty { parts.append("\\fIcommand\\fR ...") }
        parts += help.positionals.map { argument in
            let text = "\\fI\(Roff.text(argument.valueName ?? "value"))\\fR\(argument.isRepeating ? " ..." : "")"
            return argument.isOptional ? "[\(text)]" : text
        }
        return ["\\fB\(Roff.text(words.joined(separator: " ")))\\fR \(parts.joined(separator: " "))"]
    }

    /// The purposes of the root's commands; each command has a page of its own.
    private var commandList: [String] {
        help.commands.flatMap { command in
            [".TP", ".BR \(Roff.argument("\(name)-\(command.commandName)")) (1)", Roff.line(command.abstract ?? "")]
        }
    }

    /// A command below one that has a page.
    private func section(of command: CommandHelp) -> [String] {
        var lines = [".SS \(Roff.argument((words + [command.commandName]).joined(separator: " ")))"]
        lines += Self.synopsis(of: command, words + [command.commandName])
        lines += [".PP", Roff.line(command.abstract ?? "")]
        if let discussion = command.discussion, !discussion.isEmpty { lines += [".PP"] + Roff.paragraphs(discussion) }
        return lines + options(of: command, heading: nil, subheading: nil)
    }

    private func options(of help: CommandHelp, heading: String?, subheading: String?) -> [String] {
        guard !help.shownArguments.isEmpty else { return [] }
        var lines = heading.map { [$0] } ?? []
        var section: String?
        // Those without a title first, then the titles in the order in which they come.
        var titles: [String?] = [nil]
        for argument in help.shownArguments where !titles.contains(argument.sectionTitle) { titles.append(argument.sectionTitle) }
        for title in titles {
            for argument in help.shownArguments where argument.sectionTitle == title {
                if let title, let subheading, section != title { lines.append("\(subheading) \(Roff.argument(title))") }
                section = title
                lines += Self.entry(for: argument)
            }
        }
        return lines
    }

    private static func entry(for argument: CommandHelp.Argument) -> [String] {
        var lines = [".TP"]
        let value = argument.valueName.map { "\\fI\(Roff.text($0))\\fR" } ?? ""
        if argument.kind == "positional" {
            lines.append(value)
        } else {
            let names = (argument.names ?? []).sorted { $0.text.count < $1.text.count }.map { "\\fB\(Roff.text($0.text))\\fR" }
            lines.append(names.joined(separator: ", ") + (argument.kind == "option" ? " \(value)" : ""))
        }
        lines.append(Roff.line(argument.abstract ?? ""))
        if let values = argument.allValues, !values.isEmpty { lines.append(Roff.line("Values: \(values.joined(separator: ", ")).")) }
        if let value = argument.defaultValue, !value.isEmpty { lines.append(Roff.line("Default: \(value).")) }
        if let discussion = argument.discussion, !discussion.isEmpty { lines += [".IP"] + Roff.paragraphs(discussion, separator: ".IP") }
        return lines
    }

    private static func withoutPeriod(_ text: String) -> String { text.hasSuffix(".") ? String(text.dropLast()) : text }
}

/// Text for roff.
enum Roff {
    /// Text within a line.
    static func text(_ text: String) -> String {
        text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
    }

    /// Text as a line of its own, which must not be taken for a request.
    static func line(_ text: String) -> String {
        let escaped = self.text(text).replacing("\n", with: " ")
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }

    /// The argument of a request.
    static func argument(_ text: String) -> String { "\"\(self.text(text).replacing("\"", with: "\\(dq"))\"" }

    /// Paragraphs, between which there are empty lines. Lines that begin with spaces are shown as they are.
    static func paragraphs(_ text: String, separator: String = ".PP") -> [String] {
        var lines: [String] = []
        var isVerbatim = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let wantsVerbatim = line.hasPrefix("  ")
            if wantsVerbatim != isVerbatim { lines.append(wantsVerbatim ? ".nf" : ".fi") }
            isVerbatim = wantsVerbatim
            if line.isEmpty { lines.append(separator) } else { lines.append(self.line(String(line))) }
        }
        if isVerbatim { lines.append(".fi") }
        return lines
    }
}
