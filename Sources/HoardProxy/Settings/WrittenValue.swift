// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Where a setting was written.
package enum SettingPlace: Sendable, Hashable, CustomStringConvertible {
    case file(String, line: Int, column: Int)
    /// With its dashes.
    case flag(String)
    case environment(String)

    package var description: String {
        switch self {
        case .file(let name, let line, let column): "\(name):\(line):\(column)"
        case .flag(let name), .environment(let name): name
        }
    }
}

/// A problem with a setting.
package struct SettingProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// `nil`: the settings as a whole.
    package let place: SettingPlace?
    /// One sentence a person can act on.
    package let sentence: String

    init(_ place: SettingPlace?, _ sentence: String) {
        self.place = place
        self.sentence = sentence
    }

    package var description: String { place.map { "\($0): \(sentence)" } ?? sentence }
}

/// A value as a person wrote it.
package struct WrittenValue: Sendable {
    enum Content: Sendable {
        case nothing
        case scalar(String)
        case list([WrittenValue])
        case mapping([(name: WrittenValue, value: WrittenValue)])
    }

    let content: Content
    package let place: SettingPlace

    init(_ content: Content, at place: SettingPlace) {
        self.content = content
        self.place = place
    }

    /// A value from the command line or the environment.
    package init(_ text: String, at place: SettingPlace) {
        self.init(.scalar(text), at: place)
    }

    /// Several values of one flag.
    package init(_ texts: [String], at place: SettingPlace) {
        self.init(.list(texts.map { WrittenValue($0, at: place) }), at: place)
    }

    func problem(_ sentence: String) -> SettingProblem { SettingProblem(place, sentence) }

    /// The text of a single value.
    func text(_ what: String) throws(SettingProblem) -> String {
        guard case .scalar(let text) = content else { throw problem("Here \(what) is expected, not \(kind).") }
        return text
    }

    /// Several values: a list, or in the environment and on the command line a text with commas. A single value stands for a list of one.
    func list() throws(SettingProblem) -> [WrittenValue] {
        switch (content, place) {
        case (.list(let values), _): return values
        case (.nothing, _): return []
        case (.scalar(let text), .file): return text.isEmpty ? [] : [self]
        case (.scalar(let text), _):
            if text.isEmpty { return [] }
            return text.split(separator: ",", omittingEmptySubsequences: false).map { WrittenValue(.scalar(Self.trimmed($0)), at: place) }
        case (.mapping, _): throw problem("Here a list is expected, not \(kind).")
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }

    /// The value's description for messages.
    var kind: String {
        switch content {
        case .nothing: "nothing"
        // A text that looks like a URL with a user may have a password.
        case .scalar(let text): text.contains("://") && text.contains("@") ? "a URL" : "“\(text)”"
        case .list: "a list"
        case .mapping: "a group of options"
        }
    }
}
