// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// The workflows, which only GitHub runs, call the commands that are run here.
@Suite struct WorkflowTests {
    private static let folder = ".github/workflows"

    private func checker() throws -> WorkflowChecker {
        WorkflowChecker(
            makeTargets: WorkflowChecker.targets(ofMakefile: try Repository.text("Makefile")),
            scripts: Set(try Repository.names(in: "Scripts").filter { Repository.canRun("Scripts/\($0)") })
        )
    }

    @Test func everyWorkflowFollowsTheSchema() throws {
        let checker = try checker()
        let names = try Repository.names(in: Self.folder)
        #expect(names == ["ci.yml", "interface.yml", "platforms.yml", "release.yml", "weekly.yml"])
        for name in names {
            let problems = checker.problems(in: try Repository.text("\(Self.folder)/\(name)"))
            #expect(problems.isEmpty, "\(name): \(problems.joined(separator: " "))")
        }
    }

    @Test func otherCommandsOfWorkflowsCanBeRun() {
        for command in WorkflowChecker.otherCommands { #expect(Repository.canRun(command), "\(command)") }
    }

    @Test func theMakefileHasTheTargetsThatItDescribes() throws {
        let text = try Repository.text("Makefile")
        let targets = WorkflowChecker.targets(ofMakefile: text)
        #expect(targets.isSuperset(of: ["run", "test", "lint", "setup"]))
        for line in text.split(separator: "\n") where line.hasPrefix("#   make ") {
            let name = line.split(separator: " ")[2]
            #expect(targets.contains(String(name)), "\(line)")
        }
    }

    @Test func theStaticSDKIsOfTheVersionOfItsCompiler() throws {
        let script = try Repository.text("Scripts/static-sdk")
        let version = try #require(script.firstMatch(of: /\nversion=([0-9.]+)\n/)).output.1
        let workflow = try YAMLValue(yaml: try Repository.text("\(Self.folder)/platforms.yml"))
        #expect(workflow["jobs"]?["static"]?["container"]?["image"]?.text == "swift:\(version)-bookworm")
    }

    /// Otherwise a change of one workflow would be a change of another one's tests.
    @Test func allWorkflowsUseTheSameVersionOfAnAction() throws {
        var versions: [String: Set<String>] = [:]
        for name in try Repository.names(in: Self.folder) {
            let workflow = try YAMLValue(yaml: try Repository.text("\(Self.folder)/\(name)"))
            for job in workflow["jobs"]?.group ?? [] {
                for action in (job.value["steps"]?.list ?? []).compactMap({ $0["uses"]?.text }) {
                    let parts = action.split(separator: "@").map(String.init)
                    versions[parts[0], default: []].insert(parts[parts.count - 1])
                }
            }
        }
        #expect(versions["actions/checkout"] != nil)
        for (action, versions) in versions { #expect(versions.count == 1, "\(action): \(versions.sorted())") }
    }
}
