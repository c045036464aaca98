// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardSimulator

extension WrittenValue {
    /// Whether the value says that there is none: nothing, or `no`, or an empty text outside of files.
    var isAbsent: Bool {
        switch (content, place) {
        case (.nothing, _): true
        case (.scalar(let text), .file): ["no", "off", "none", "false"].contains(text.lowercased())
        case (.scalar(let text), _): ["", "no", "off", "none", "false"].contains(text.lowercased())
        case (.list, _), (.mapping, _): false
        }
    }

    func duration(isPositive: Bool) throws(SettingProblem) -> Duration {
        let text = try text("a length of time")
        guard let duration = DurationText.duration(text) else {
            throw problem("“\(text)” is no length of time; write 30s, 5m, 1h30m or 7d.")
        }
        if isPositive, duration == .zero { throw problem("The time must be longer than zero.") }
        return duration
    }

    func size(in range: ClosedRange<Int>) throws(SettingProblem) -> Int {
        let text = try text("a number of bytes")
        guard let size = SizeText.byteCount(text) else {
            throw problem("“\(text)” is no number of bytes; write 1000000, 64K, 512MiB or 1G.")
        }
        guard range.contains(size) else {
            throw problem("The size must be between \(SizeText.text(range.lowerBound)) and \(SizeText.text(range.upperBound)), not \(text).")
        }
        return size
    }

    func number(in range: ClosedRange<Int>) throws(SettingProblem) -> Int {
        let text = try text("a number")
        guard let number = Int(text) else { throw problem("“\(text)” is no number.") }
        guard range.contains(number) else {
            throw problem(
                range.upperBound == .max
                    ? "The number must be at least \(range.lowerBound), not \(number)."
                    : "The number must be between \(range.lowerBound) and \(range.upperBound), not \(number)."
            )
        }
        return number
    }

    func yesNo() throws(SettingProblem) -> Bool {
        let text = try text("yes or no")
        switch text.lowercased() {
        case "yes", "true", "on": return true
        case "no", "false", "off": return false
        default: throw problem("“\(text)” is neither yes nor no.")
        }
    }

    func choice<Choice>(_ names: [String], _ make: (String) -> Choice?) throws(SettingProblem) -> Choice {
        let text = try text("one of \(names.joined(separator: ", "))")
        if let choice = make(text) { return choice }
        let hint = Spelling.nearest(to: text, among: names).map { "; did you mean “\($0)”?" } ?? "."
        throw problem("“\(text)” is none of \(names.joined(separator: ", "))\(hint)")
    }

    /// Reads the options of a group. An error in one does not keep the others from being read.
    func read<Target>(_ settings: [Setting<Target>], into target: inout Target) throws(SettingProblems) {
        guard case .mapping(let pairs) = content else {
            if case .nothing = content { return }
            throw SettingProblems([problem("Here options are expected, such as “\(settings.first?.name ?? "name"): …”, not \(kind).")])
        }
        var problems: [SettingProblem] = []
        for (key, value) in pairs where problems.count < SettingProblems.maximumCount {
            guard case .scalar(let name) = key.content else {
                problems.append(key.problem("Here the name of an option is expected, not \(key.kind)."))
                continue
            }
            guard let setting = settings.first(where: { $0.name == name }) else {
                problems.append(key.problem(Self.unknown(name, settings.map(\.name))))
                continue
            }
            do throws(SettingProblems) { try setting.read(value, &target) } catch { problems += error.problems }
        }
        guard problems.isEmpty else { throw SettingProblems(problems) }
    }

    private static func unknown(_ name: String, _ names: [String]) -> String {
        if let nearest = Spelling.nearest(to: name, among: names) { return "There is no option “\(name)” here; did you mean “\(nearest)”?" }
        return "There is no option “\(name)” here; there are \(names.joined(separator: ", "))."
    }
}
