// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A schema of the workflows in `.github/workflows`. It has only those of GitHub's keys that Hoard uses, and refuses
/// all others, so that a wrong key is found before GitHub ignores it.
struct WorkflowChecker {
    /// The targets of the Makefile.
    let makeTargets: Set<String>
    /// The names of the executable files in `Scripts`.
    let scripts: Set<String>

    /// Commands that a step may call beside `make` and scripts.
    static let otherCommands: Set<String> = [".ci/run"]

    /// Returns a sentence for each mistake of a workflow.
    func problems(in text: String) -> [String] {
        let workflow: YAMLValue
        do {
            workflow = try YAMLValue(yaml: text)
        } catch {
            return ["The file is no YAML: \(error)"]
        }
        let isForPullRequests = workflow["on"]?["pull_request"] != nil
        let jobs = workflow["jobs"]?.group ?? []
        var problems = keyProblems(
            of: workflow,
            in: "The workflow",
            required: ["name", "on", "permissions", "concurrency", "jobs"],
            optional: ["env"]
        )
        if let triggers = workflow["on"] { problems += triggerProblems(triggers) }
        if let permissions = workflow["permissions"] {
            let isLeast = permissions.group?.count == 1 && permissions["contents"]?.text == "read"
            if !isLeast { problems.append("The permissions of the workflow must be “contents: read” alone.") }
        }
        if let concurrency = workflow["concurrency"] {
            problems += keyProblems(of: concurrency, in: "The concurrency", required: ["group", "cancel-in-progress"])
            if isForPullRequests, let cancels = concurrency["cancel-in-progress"]?.text, cancels != "true" {
                problems.append("A new run for a pull request must cancel the old one.")
            }
        }
        if workflow["jobs"] != nil, jobs.isEmpty { problems.append("The workflow has no jobs.") }
        for job in jobs {
            problems += jobProblems(job.value, name: job.key, others: jobs.map(\.key), isForPullRequests: isForPullRequests)
        }
        if text.contains("secrets.") || text.contains("secrets[") { problems.append("The workflow uses a secret.") }
        if isForPullRequests, text.contains("github.token") { problems.append("The workflow gives its token to pull requests.") }
        return problems + commentProblems(text, names: jobs.flatMap { names(in: $0.value) })
    }

    // MARK: Groups

    private func keyProblems(of value: YAMLValue, in place: String, required: [String] = [], optional: [String] = []) -> [String] {
        guard let group = value.group else { return ["\(place) must be a group of keys."] }
        let keys = group.map(\.key)
        let unknown = keys.filter { !required.contains($0) && !optional.contains($0) }
        let missing = required.filter { !keys.contains($0) }
        return unknown.map { "\(place) has an unknown key, “\($0)”." } + missing.map { "\(place) has no “\($0)”." }
    }

    private func triggerProblems(_ triggers: YAMLValue) -> [String] {
        var problems = keyProblems(of: triggers, in: "The trigger", optional: ["push", "pull_request", "schedule", "workflow_dispatch"])
        if triggers.group?.isEmpty == true { problems.append("The workflow has no trigger.") }
        if let push = triggers["push"] { problems += keyProblems(of: push, in: "The trigger “push”", optional: ["branches", "tags"]) }
        if let schedule = triggers["schedule"] {
            for time in schedule.list ?? [schedule] { problems += keyProblems(of: time, in: "The trigger “schedule”", required: ["cron"]) }
        }
        return problems
    }

    private func jobProblems(_ job: YAMLValue, name: String, others: [String], isForPullRequests: Bool) -> [String] {
        let place = "The job “\(name)”"
        var problems = keyProblems(
            of: job,
            in: place,
            required: ["name", "runs-on", "timeout-minutes", "steps"],
            optional: ["container", "strategy", "needs", "permissions", "env"]
        )
        if let minutes = job["timeout-minutes"]?.text, !(1...360).contains(Int(minutes) ?? 0) {
            problems.append("\(place) must end after 1 to 360 minutes, not “\(minutes)”.")
        }
        if let container = job["container"] {
            problems += keyProblems(of: container, in: "The container of “\(name)”", required: ["image"], optional: ["options"])
        }
        if let strategy = job["strategy"] {
            problems += keyProblems(of: strategy, in: "The strategy of “\(name)”", required: ["matrix"], optional: ["fail-fast"])
        }
        for needed in job["needs"]?.texts ?? [] where !others.contains(needed) {
            problems.append("\(place) needs “\(needed)”, which is no job.")
        }
        if let permissions = job["permissions"] {
            problems += keyProblems(of: permissions, in: "The permissions of “\(name)”", required: ["contents"])
            if isForPullRequests, permissions["contents"]?.text != "read" { problems.append("\(place) may write for pull requests.") }
        }
        guard let steps = job["steps"] else { return problems }
        guard let list = steps.list, !list.isEmpty else { return problems + ["\(place) has no list of steps."] }
        return problems + list.enumerated().flatMap { stepProblems($0.element, place: "Step \($0.offset + 1) of “\(name)”") }
    }

    private func stepProblems(_ step: YAMLValue, place: String) -> [String] {
        var problems = keyProblems(of: step, in: place, required: ["name"], optional: ["uses", "with", "run", "env", "if"])
        switch (step["uses"], step["run"]) {
        case (let action?, nil): problems += actionProblems(action.text ?? "", with: step["with"], place: place)
        case (nil, let run?):
            if step["with"] != nil { problems.append("\(place) has “with”, which is for actions.") }
            let lines = (run.text ?? "").split(separator: "\n").map(String.init)
            if lines.isEmpty { problems.append("\(place) runs nothing.") }
            problems += lines.compactMap { commandProblem($0).map { "\(place) \($0)" } }
        default: problems.append("\(place) must have either “uses” or “run”.")
        }
        if let condition = step["if"], condition.text != "failure()" { problems.append("\(place) has a condition other than “failure()”.") }
        return problems
    }

    // MARK: Steps

    private func actionProblems(_ action: String, with inputs: YAMLValue?, place: String) -> [String] {
        guard action.wholeMatch(of: /[A-Za-z0-9_.-]+\/[A-Za-z0-9_.-]+@v[0-9]+\.[0-9]+\.[0-9]+/) != nil else {
            return ["\(place) uses “\(action)”, which is not of the form owner/name@v1.2.3."]
        }
        if action.hasPrefix("actions/checkout@"), inputs?["persist-credentials"]?.text != "false" {
            return ["\(place) leaves its token in the checkout: “persist-credentials: false” is missing."]
        }
        return []
    }

    /// Returns the mistake of a command, worded for a sentence that begins with the step.
    private func commandProblem(_ line: String) -> String? {
        if line.contains("${{") { return "has an expression in a command; give it by “env”." }
        if line.contains(where: { ";&|<>()`".contains($0) }) { return "has logic in “\(line)”; put it into a script." }
        let words = line.split(separator: " ").map(String.init)
        guard let command = words.first else { return nil }
        if command == "make" {
            guard words.count > 1 else { return "calls make without a target." }
            return words.dropFirst().first { !makeTargets.contains($0) }.map { "makes “\($0)”, which the Makefile does not have." }
        }
        if command.hasPrefix("Scripts/") {
            return scripts.contains(String(command.dropFirst("Scripts/".count))) ? nil : "calls \(command), which cannot be run."
        }
        return Self.otherCommands.contains(command) ? nil : "calls “\(command)”, which is no script, no make and no other command that is allowed."
    }

    // MARK: Comments

    /// The names of a job and its steps.
    private func names(in job: YAMLValue) -> [String] {
        ([job] + (job["steps"]?.list ?? [])).compactMap { $0["name"]?.text }
    }

    /// The first comment has a paragraph that begins with “Never run:” and names steps in quotation marks.
    private func commentProblems(_ text: String, names: [String]) -> [String] {
        let comment = text.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("#") }
        let paragraph = comment.drop { !$0.hasPrefix("# Never run:") }.prefix { $0 != "#" }.joined(separator: " ")
        guard !paragraph.isEmpty else { return ["The first comment does not say which steps have never run."] }
        let pieces = paragraph.split(separator: "\"", omittingEmptySubsequences: false).map(String.init)
        let quoted = stride(from: 1, to: pieces.count, by: 2).map { pieces[$0] }
        if quoted.isEmpty { return ["The first comment names no step that has never run."] }
        return quoted.filter { !names.contains($0) }.map { "The first comment names “\($0)”, which is no step and no job." }
    }
}

extension WorkflowChecker {
    /// Returns the targets of a Makefile.
    static func targets(ofMakefile text: String) -> Set<String> {
        let names = text.split(separator: "\n").compactMap { line -> String? in
            guard let colon = line.firstIndex(of: ":"), !line[colon...].hasPrefix(":=") else { return nil }
            let name = line[..<colon]
            return !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" } ? String(name) : nil
        }
        return Set(names)
    }
}
