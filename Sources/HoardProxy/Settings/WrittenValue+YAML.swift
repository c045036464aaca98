// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Yams

extension WrittenValue {
    /// The longest file that is read, in bytes.
    static let maximumFileBytes = 1 << 20
    /// The most values in a file, with those that aliases stand for.
    static let maximumCount = 100_000

    /// Reads a YAML file, which must hold one group of options or nothing.
    ///
    /// - Parameter name: Of the file, for messages.
    static func yaml(_ text: String, name: String) throws(SettingProblem) -> WrittenValue {
        let start = SettingPlace.file(name, line: 1, column: 1)
        guard text.utf8.count <= maximumFileBytes else {
            throw SettingProblem(start, "The file is longer than \(maximumFileBytes >> 20) MiB.")
        }
        let root: Node?
        do {
            root = try compose(yaml: text)
        } catch {
            throw problem(error, name: name)
        }
        guard let root else { return WrittenValue(.mapping([]), at: start) }
        var left = maximumCount
        let value = try WrittenValue(root, name: name, fallback: start, left: &left)
        switch value.content {
        case .mapping: return value
        case .nothing: return WrittenValue(.mapping([]), at: start)
        case .scalar, .list: throw value.problem("The file must hold options, such as “listen: 127.0.0.1:8080”, not \(value.kind).")
        }
    }

    private init(_ node: Node, name: String, fallback: SettingPlace, left: inout Int) throws(SettingProblem) {
        let place = node.mark.map { SettingPlace.file(name, line: $0.line, column: $0.column) } ?? fallback
        left -= 1
        guard left > 0 else { throw SettingProblem(place, "The file holds more than \(Self.maximumCount) values.") }
        switch node {
        case .scalar(let scalar):
            let isNull = scalar.style == .plain && ["", "~", "null", "Null", "NULL"].contains(scalar.string)
            self.init(isNull ? .nothing : .scalar(scalar.string), at: place)
        case .sequence(let sequence):
            var values: [WrittenValue] = []
            for node in sequence { values.append(try WrittenValue(node, name: name, fallback: place, left: &left)) }
            self.init(.list(values), at: place)
        case .mapping(let mapping):
            var pairs: [(name: WrittenValue, value: WrittenValue)] = []
            for (key, value) in mapping {
                let key = try WrittenValue(key, name: name, fallback: place, left: &left)
                pairs.append((key, try WrittenValue(value, name: name, fallback: key.place, left: &left)))
            }
            self.init(.mapping(pairs), at: place)
        case .alias:
            throw SettingProblem(place, "An alias stands here for nothing that has a name.")
        }
    }

    /// Returns the parser's complaint as one sentence with its place.
    private static func problem(_ error: any Error, name: String) -> SettingProblem {
        func place(_ mark: Mark) -> SettingPlace { .file(name, line: mark.line, column: mark.column) }
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _), .composer(_, let problem, let mark, _):
            return SettingProblem(place(mark), "This is no YAML: \(problem).")
        case .duplicatedKeysInMapping(let duplicates, let context):
            return SettingProblem(place(context.mark), "Given twice: \(duplicates.sorted().map { "“\($0)”" }.joined(separator: ", ")).")
        case .reader(let problem, _, _, _):
            return SettingProblem(.file(name, line: 1, column: 1), "This is no text in UTF-8: \(problem).")
        default:
            return SettingProblem(.file(name, line: 1, column: 1), "This is no YAML: \(error).")
        }
    }
}
