// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardSimulator

/// The kind of value that an option has.
package enum SettingForm: Sendable, Hashable {
    case duration, size, number, yesNo, text, texts, url, urls, address
    /// Texts that may have commas: each has its own flag, and its own line in the environment.
    case lines
    case choice([String])
    /// Options of its own.
    case section
    /// Several groups of options.
    case sections

    /// The value in the words of the documentation.
    package var words: String {
        switch self {
        case .duration: "duration"
        case .size: "size"
        case .number: "number"
        case .yesNo: "yes or no"
        case .text: "text"
        case .texts: "list of texts"
        case .lines: "list of fields"
        case .url: "URL"
        case .urls: "list of URLs"
        case .address: "address"
        case .choice(let names): names.joined(separator: ", ")
        case .section: "group"
        case .sections: "list of groups"
        }
    }

    /// The word that stands for the value behind a flag.
    package var placeholder: String {
        switch self {
        case .duration: "duration"
        case .size: "bytes"
        case .number: "n"
        case .yesNo: "yes|no"
        case .text: "text"
        case .texts: "names"
        case .lines: "field"
        case .url, .urls: "url"
        case .address: "host:port"
        case .choice(let names): names.joined(separator: "|")
        case .section, .sections: "…"
        }
    }
}

/// One option: its name, the form of its value, and the place to which the value goes.
package struct Setting<Target>: Sendable {
    /// The name in a file.
    package let name: String
    package let form: SettingForm
    /// The meaning of the option, in one sentence or two.
    package let summary: String
    /// The option on the command line, without dashes; in the environment it is `HOARD_PROXY_` and the same in capitals. `nil` for groups.
    package let flag: String?
    /// The options of a group.
    package let members: [SettingDescription]
    let read: @Sendable (WrittenValue, inout Target) throws(SettingProblems) -> Void
    /// Returns the value of the option; `nil` if it is not set.
    let write: @Sendable (Target) -> SettingYAML?
}

/// Several things that are wrong.
struct SettingProblems: Error {
    var problems: [SettingProblem]

    init(_ problems: [SettingProblem]) { self.problems = problems }

    /// The most problems that are told at once.
    static let maximumCount = 20
}

/// An option without the type to which it belongs, for documents and flags.
package struct SettingDescription: Sendable {
    /// The name in a file, behind those of the groups: `limits.header-bytes`.
    package let path: String
    package let form: SettingForm
    package let summary: String
    package let flag: String?
    /// As it would be written; `nil`: it is not set.
    package let defaultText: String?

    /// The name in the environment.
    package var environmentName: String? { flag.map { ProxySettings.environmentName(ofFlag: $0) } }
}

/// The tree from which a file of settings is written.
package indirect enum SettingYAML: Sendable {
    case scalar(String)
    case list([SettingYAML])
    case section([(name: String, summary: String, value: SettingYAML?)])
}

extension Setting {
    fileprivate init(
        _ name: String,
        _ form: SettingForm,
        flag: String?,
        _ summary: String,
        read: @escaping @Sendable (WrittenValue, inout Target) throws(SettingProblem) -> Void,
        write: @escaping @Sendable (Target) -> SettingYAML?
    ) {
        self.init(
            name: name,
            form: form,
            summary: summary,
            flag: flag,
            members: [],
            read: { value, target throws(SettingProblems) in
                do throws(SettingProblem) {
                    try read(value, &target)
                } catch {
                    throw SettingProblems([error])
                }
            },
            write: write
        )
    }

    typealias Path<Value> = any WritableKeyPath<Target, Value> & Sendable

    static func duration(
        _ name: String,
        _ path: Path<Duration>,
        flag: String? = nil,
        isPositive: Bool = false,
        _ summary: String
    ) -> Self {
        Self(name, .duration, flag: flag, summary) { value, target throws(SettingProblem) in
            target[keyPath: path] = try value.duration(isPositive: isPositive)
        } write: {
            .scalar(DurationText.text($0[keyPath: path]))
        }
    }

    static func optionalDuration(_ name: String, _ path: Path<Duration?>, flag: String? = nil, _ summary: String) -> Self {
        Self(name, .duration, flag: flag, summary) { value, target throws(SettingProblem) in
            target[keyPath: path] = try value.isAbsent ? nil : value.duration(isPositive: false)
        } write: {
            $0[keyPath: path].map { .scalar(DurationText.text($0)) }
        }
    }

    static func size(_ name: String, _ path: Path<Int>, flag: String? = nil, in range: ClosedRange<Int> = 0...Int.max, _ summary: String) -> Self {
        Self(name, .size, flag: flag, summary) { value, target throws(SettingProblem) in
            target[keyPath: path] = try value.size(in: range)
        } write: {
            .scalar(SizeText.text($0[keyPath: path]))
        }
    }

    /// - Parameter absent: The text that stands for `nil`, where `nil` is not the default.
    static func optionalSize(_ name: String, _ path: Path<Int?>, flag: String? = nil, absent: String? = nil, _ summary: String) -> Self {
        Self(name, .size, flag: flag, summary) { value, target throws(SettingProblem) in
            target[keyPath: path] = try value.isAbsent ? nil : value.size(in: 0...Int.max)
        } write: {
            ($0[keyPath: path].map { SizeText.text($0) } ?? absent).map { .scalar($0) }
        }
    }

    static func number(_ name: String, _ path: Path<Int>, flag: String? = nil, _ range: ClosedRange<Int>, _ summary: String) -> Self {
        Self(name, .number, flag: flag, summary) { value, target throws(SettingProblem) in
            target[keyPath: path] = try value.number(in: range)
        } write: {
            .scalar("\($0[keyPath: path])")
        }
    }

    static func optionalNumber(_ name: String, _ path: Path<Int?>, flag: String? = nil, _ range: ClosedRange<Int>, _ summary: String) -> Self {
        Self(name, .number, flag: flag, summary) { value, target throws(SettingProblem) in
            target[keyPath: path] = try value.isAbsent ? nil : value.number(in: range)
        } write: {
            $0[keyPath: path].map { .scalar("\($0)") }
        }
    }

    static func yesNo(_ name: String, _ path: Path<Bool>, flag: String? = nil, _ summary: String) -> Self {
        Self(name, .yesNo, flag: flag, summary) { value, target throws(SettingProblem) in
            target[keyPath: path] = try value.yesNo()
        } write: {
            .scalar($0[keyPath: path] ? "yes" : "no")
        }
    }

    static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String,
        _ path: Path<Choice>,
        flag: String? = nil,
        _ summary: String
    ) -> Self {
        let names = Choice.allCases.map(\.rawValue)
        return Self(name, .choice(names), flag: flag, summary) { value, target throws(SettingProblem) in
            target[keyPath: path] = try value.choice(names) { Choice(rawValue: $0) }
        } write: {
            .scalar($0[keyPath: path].rawValue)
        }
    }

    /// A value of a type of its own.
    static func value<Value: Sendable>(
        _ name: String,
        _ form: SettingForm,
        _ path: Path<Value>,
        flag: String? = nil,
        _ summary: String,
        read: @escaping @Sendable (WrittenValue) throws(SettingProblem) -> Value,
        write: @escaping @Sendable (Value) -> SettingYAML?
    ) -> Self {
        Self(name, form, flag: flag, summary) { value, target throws(SettingProblem) in
            target[keyPath: path] = try read(value)
        } write: {
            write($0[keyPath: path])
        }
    }

    /// A share, more than 0 and up to 1.
    static func share(_ name: String, _ path: Path<Double>, flag: String? = nil, _ summary: String) -> Self {
        value(name, .number, path, flag: flag, summary) { value throws(SettingProblem) in
            let text = try value.text("a number")
            guard let share = Double(text), share > 0, share <= 1 else {
                throw value.problem("“\(text)” is no share; write a number of more than 0 and up to 1, such as 0.1.")
            }
            return share
        } write: {
            .scalar("\($0)")
        }
    }

    static func text(_ name: String, _ path: Path<String?>, flag: String? = nil, _ summary: String) -> Self {
        value(name, .text, path, flag: flag, summary) { value throws(SettingProblem) in
            if value.isAbsent { return nil }
            let text = try value.text("a text")
            guard !text.isEmpty, !text.utf8.contains(0) else { throw value.problem("The text must not be empty.") }
            return text
        } write: {
            $0.map { .scalar($0) }
        }
    }

    static func texts(
        _ name: String,
        _ path: Path<[String]>,
        flag: String? = nil,
        _ summary: String,
        check: @escaping @Sendable (String) -> String? = { _ in nil }
    ) -> Self {
        value(name, .texts, path, flag: flag, summary) { value throws(SettingProblem) in
            var texts: [String] = []
            for item in try value.list() {
                let text = try item.text("a text")
                if let objection = text.isEmpty ? "A text in the list is empty." : check(text) { throw item.problem(objection) }
                texts.append(text)
            }
            return texts
        } write: {
            .list($0.map { .scalar($0) })
        }
    }
}

// MARK: Groups

extension Setting {
    /// A group of options.
    static func section<Part: Sendable>(_ name: String, _ path: Path<Part>, _ settings: [Setting<Part>], initially: Part, _ summary: String) -> Self {
        Self(
            name: name,
            form: .section,
            summary: summary,
            flag: nil,
            members: settings.flatMap { $0.descriptions(behind: name, of: initially) },
            read: { value, target throws(SettingProblems) in try value.read(settings, into: &target[keyPath: path]) },
            write: { .section(settings.written($0[keyPath: path])) }
        )
    }

    /// A group of options that may be missing: `no`, or nothing.
    static func optionalSection<Part: Sendable>(
        _ name: String,
        _ path: Path<Part?>,
        _ settings: [Setting<Part>],
        initially: Part,
        _ summary: String
    ) -> Self {
        Self(
            name: name,
            form: .section,
            summary: summary,
            flag: nil,
            members: settings.flatMap { $0.descriptions(behind: name, of: initially) },
            read: { value, target throws(SettingProblems) in
                if value.isAbsent { return target[keyPath: path] = nil }
                var part = target[keyPath: path] ?? initially
                if (try? value.yesNo()) != true { try value.read(settings, into: &part) }
                target[keyPath: path] = part
            },
            write: { $0[keyPath: path].map { .section(settings.written($0)) } }
        )
    }

    /// A list of groups of options. Each begins as `initially`.
    ///
    /// - Parameter shorthand: The meaning of a single value in the list, if it has one.
    static func sections<Part: Sendable>(
        _ name: String,
        _ path: Path<[Part]>,
        _ settings: [Setting<Part>],
        flag: String? = nil,
        initially: Part,
        maximumCount: Int,
        _ summary: String,
        shorthand: (@Sendable (WrittenValue) throws(SettingProblem) -> Part)? = nil
    ) -> Self {
        Self(
            name: name,
            form: .sections,
            summary: summary,
            flag: flag,
            members: settings.flatMap { $0.descriptions(behind: name, of: initially) },
            read: { value, target throws(SettingProblems) in
                var parts: [Part] = []
                var problems: [SettingProblem] = []
                do throws(SettingProblem) {
                    let items = try value.list()
                    guard items.count <= maximumCount else { throw value.problem("There are more than \(maximumCount) in “\(name)”.") }
                    for item in items {
                        var part = initially
                        if let shorthand, case .scalar = item.content {
                            do throws(SettingProblem) { part = try shorthand(item) } catch { problems.append(error) }
                        } else {
                            do throws(SettingProblems) { try item.read(settings, into: &part) } catch { problems += error.problems }
                        }
                        parts.append(part)
                    }
                } catch {
                    problems.append(error)
                }
                guard problems.isEmpty else { throw SettingProblems(problems) }
                target[keyPath: path] = parts
            },
            write: { .list($0[keyPath: path].map { .section(settings.written($0)) }) }
        )
    }

    /// The option, or the options of the group.
    func descriptions(behind group: String? = nil, of initial: Target) -> [SettingDescription] {
        let path = group.map { "\($0).\(name)" } ?? name
        let own = SettingDescription(path: path, form: form, summary: summary, flag: flag, defaultText: write(initial)?.shortText)
        return [own]
            + members.map { member in
                let path = group.map { "\($0).\(member.path)" } ?? member.path
                return SettingDescription(
                    path: path,
                    form: member.form,
                    summary: member.summary,
                    flag: member.flag,
                    defaultText: member.defaultText
                )
            }
    }
}

extension Array {
    func written<Target>(_ target: Target) -> [(name: String, summary: String, value: SettingYAML?)] where Element == Setting<Target> {
        map { ($0.name, $0.summary, $0.write(target)) }
    }
}

extension SettingYAML {
    /// The value on one line, where it is none of groups.
    var shortText: String? {
        switch self {
        case .scalar(let text): text
        case .list(let items):
            items.contains { if case .scalar = $0 { false } else { true } } ? nil : items.compactMap(\.shortText).joined(separator: ", ")
        case .section: nil
        }
    }
}
