// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// The schema finds each kind of mistake, and nothing else.
@Suite struct WorkflowCheckerTests {
    private let checker = WorkflowChecker(makeTargets: ["lint", "test"], scripts: ["setup"])

    /// A workflow with everything that is allowed.
    private static let good = """
        # Tests of every change.
        #
        # Never run: "Test", and "Look"
        # on arm64.
        #
        # More.
        name: Tests
        on:
          push:
            branches: [main]
          pull_request:
          schedule:
            - cron: "17 2 * * 1"
          workflow_dispatch:
        permissions:
          contents: read
        concurrency:
          group: tests-${{ github.ref }}
          cancel-in-progress: true
        env:
          NAME: value
        jobs:
          one:
            name: One
            runs-on: ${{ matrix.runner }}
            timeout-minutes: 20
            container:
              image: swift:6.3
              options: --privileged
            strategy:
              fail-fast: false
              matrix:
                runner: [ubuntu-24.04, ubuntu-24.04-arm]
            steps:
              - name: Check out
                uses: actions/checkout@v7.0.1
                with:
                  persist-credentials: false
              - name: Test
                run: |
                  Scripts/setup "$NAME"
                  make lint test
              - name: Look
                if: failure()
                run: .ci/run
                env:
                  NAME: ${{ matrix.runner }}
          two:
            name: Two
            needs: [one]
            runs-on: ubuntu-24.04
            timeout-minutes: 360
            permissions:
              contents: read
            steps:
              - name: Keep
                uses: actions/upload-artifact@v7.0.1
        """

    /// A text of the good workflow, the wrong text in its place, and the sentence that the check then returns.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let text: String
        let wrong: String
        let problem: String

        init(_ text: String, _ wrong: String, _ problem: String) {
            self.text = text
            self.wrong = wrong
            self.problem = problem
        }

        var testDescription: String { problem }
    }

    private static let mistakesOfWorkflows = [
        Mistake("name: Tests\n", "", "The workflow has no “name”."),
        Mistake("name: Tests\n", "name: Tests\ndefaults: {}\n", "The workflow has an unknown key, “defaults”."),
        Mistake("workflow_dispatch:\n", "pull_request_target:\n", "The trigger has an unknown key, “pull_request_target”."),
        Mistake("    branches: [main]", "    branch: [main]", "The trigger “push” has an unknown key, “branch”."),
        Mistake("- cron: \"17 2 * * 1\"", "- time: \"17 2 * * 1\"\n      cron: now", "The trigger “schedule” has an unknown key, “time”."),
        Mistake("contents: read\nconcurrency", "contents: write\nconcurrency", "The permissions of the workflow must be “contents: read” alone."),
        Mistake(
            "contents: read\nconcurrency",
            "contents: read\n  packages: read\nconcurrency",
            "The permissions of the workflow must be “contents: read” alone."
        ),
        Mistake(
            "permissions:\n  contents: read\nconcurrency",
            "permissions: read-all\nconcurrency",
            "The permissions of the workflow must be “contents: read” alone."
        ),
        Mistake("  group: tests-${{ github.ref }}\n", "", "The concurrency has no “group”."),
        Mistake("cancel-in-progress: true", "cancel-in-progress: false", "A new run for a pull request must cancel the old one."),
        Mistake("NAME: value", "NAME: ${{ secrets.NAME }}", "The workflow uses a secret."),
        Mistake("NAME: value", "NAME: ${{ secrets['NAME'] }}", "The workflow uses a secret."),
        Mistake("NAME: value", "NAME: ${{ github.token }}", "The workflow gives its token to pull requests."),
        Mistake("# Never run:", "# Has run:", "The first comment does not say which steps have never run."),
        Mistake("# Never run:", "\n# Never run:", "The first comment does not say which steps have never run."),
        Mistake("\"Test\", and \"Look\"", "nothing", "The first comment names no step that has never run."),
        Mistake("and \"Look\"", "and \"Push\"", "The first comment names “Push”, which is no step and no job."),
    ]

    private static let mistakesOfJobs = [
        Mistake("    runs-on: ubuntu-24.04\n", "", "The job “two” has no “runs-on”."),
        Mistake("    timeout-minutes: 360\n", "", "The job “two” has no “timeout-minutes”."),
        Mistake("timeout-minutes: 360", "timeout-minutes: 361", "The job “two” must end after 1 to 360 minutes, not “361”."),
        Mistake("timeout-minutes: 360", "timeout-minutes: long", "The job “two” must end after 1 to 360 minutes, not “long”."),
        Mistake("    needs: [one]", "    need: [one]", "The job “two” has an unknown key, “need”."),
        Mistake("needs: [one]", "needs: [one, three]", "The job “two” needs “three”, which is no job."),
        Mistake("needs: [one]", "needs: three", "The job “two” needs “three”, which is no job."),
        Mistake("      image: swift:6.3\n", "", "The container of “one” has no “image”."),
        Mistake("options: --privileged", "option: --privileged", "The container of “one” has an unknown key, “option”."),
        Mistake("fail-fast: false", "failfast: false", "The strategy of “one” has an unknown key, “failfast”."),
        Mistake("contents: read\n    steps", "contents: write\n    steps", "The job “two” may write for pull requests."),
        Mistake(
            "contents: read\n    steps",
            "contents: read\n      packages: write\n    steps",
            "The permissions of “two” has an unknown key, “packages”."
        ),
        Mistake(
            "    steps:\n      - name: Keep\n        uses: actions/upload-artifact@v7.0.1",
            "    steps: []",
            "The job “two” has no list of steps."
        ),
        Mistake("    steps:\n      - name: Keep\n        uses: actions/upload-artifact@v7.0.1", "", "The job “two” has no “steps”."),
    ]

    private static let mistakesOfSteps = [
        Mistake("- name: Keep\n        uses:", "- uses:", "Step 1 of “two” has no “name”."),
        Mistake("        if: failure()", "        shell: bash", "Step 3 of “one” has an unknown key, “shell”."),
        Mistake("if: failure()", "if: always()", "Step 3 of “one” has a condition other than “failure()”."),
        Mistake("\n        uses: actions/upload-artifact@v7.0.1", "", "Step 1 of “two” must have either “uses” or “run”."),
        Mistake("run: .ci/run", "run: .ci/run\n        uses: a/b@v1.0.0", "Step 3 of “one” must have either “uses” or “run”."),
        Mistake("run: .ci/run", "run: .ci/run\n        with: {}", "Step 3 of “one” has “with”, which is for actions."),
        Mistake("run: .ci/run", "run:", "Step 3 of “one” runs nothing."),
        Mistake(
            "upload-artifact@v7.0.1",
            "upload-artifact@v7",
            "Step 1 of “two” uses “actions/upload-artifact@v7”, which is not of the form owner/name@v1.2.3."
        ),
        Mistake(
            "upload-artifact@v7.0.1",
            "upload-artifact",
            "Step 1 of “two” uses “actions/upload-artifact”, which is not of the form owner/name@v1.2.3."
        ),
        Mistake("actions/upload-artifact@v7.0.1", "./local", "Step 1 of “two” uses “./local”, which is not of the form owner/name@v1.2.3."),
        Mistake(
            "persist-credentials: false",
            "fetch-depth: 0",
            "Step 1 of “one” leaves its token in the checkout: “persist-credentials: false” is missing."
        ),
        Mistake("make lint test", "make lint toast", "Step 2 of “one” makes “toast”, which the Makefile does not have."),
        Mistake("make lint test", "make", "Step 2 of “one” calls make without a target."),
        Mistake("Scripts/setup", "Scripts/set-up", "Step 2 of “one” calls Scripts/set-up, which cannot be run."),
        Mistake("make lint test", "swift build", "Step 2 of “one” calls “swift”, which is no script, no make and no other command that is allowed."),
        Mistake("make lint test", "make lint && make test", "Step 2 of “one” has logic in “make lint && make test”; put it into a script."),
        Mistake("\"$NAME\"", "$(pwd)", "Step 2 of “one” has logic in “Scripts/setup $(pwd)”; put it into a script."),
        Mistake("\"$NAME\"", "${{ matrix.runner }}", "Step 2 of “one” has an expression in a command; give it by “env”."),
    ]

    @Test func aWorkflowWithAllThatIsAllowedHasNoMistake() {
        #expect(checker.problems(in: Self.good).isEmpty)
    }

    @Test(arguments: WorkflowCheckerTests.mistakesOfWorkflows + WorkflowCheckerTests.mistakesOfJobs + WorkflowCheckerTests.mistakesOfSteps)
    func aMistakeIsFound(_ mistake: Mistake) throws {
        try #require(Self.good.contains(mistake.text))
        #expect(checker.problems(in: Self.good.replacing(mistake.text, with: mistake.wrong)) == [mistake.problem])
    }

    @Test func aWorkflowWithoutPullRequestsMayWriteAndWait() {
        let workflow = Self.good
            .replacing("  pull_request:\n", with: "")
            .replacing("cancel-in-progress: true", with: "cancel-in-progress: false")
            .replacing("contents: read\n    steps", with: "contents: write\n    steps")
            .replacing("NAME: value", with: "NAME: ${{ github.token }}")
        #expect(checker.problems(in: workflow).isEmpty)
    }

    @Test(arguments: ["name: [", "name: a\nname: b", "\tname: a"])
    func aFileThatIsNoYAMLIsOneMistake(text: String) {
        let problems = checker.problems(in: text)
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("The file is no YAML: ") == true)
    }

    @Test(arguments: ["", "- a", "text"])
    func aFileThatIsNoGroupIsAMistake(text: String) {
        #expect(checker.problems(in: text).first == "The workflow must be a group of keys.")
    }

    @Test func aWorkflowWithoutTriggersOrJobsIsAMistake() {
        let head = "# Never run: \"Test\".\nname: a\npermissions:\n  contents: read\nconcurrency:\n  group: a\n  cancel-in-progress: true\n"
        #expect(checker.problems(in: head + "on: {}\njobs:\n  one: {}").contains("The workflow has no trigger."))
        #expect(checker.problems(in: head + "on: [push]\njobs:\n  one: {}").contains("The trigger must be a group of keys."))
        #expect(checker.problems(in: head + "on:\n  push: {}\njobs: {}").contains("The workflow has no jobs."))
        #expect(checker.problems(in: head + "on:\n  push: {}\njobs:\n  one: text").contains("The job “one” must be a group of keys."))
    }

    @Test func theTargetsOfAMakefileAreItsRules() {
        let text = """
            # make old: a comment
            .PHONY: test lint
            SWIFT ?= swift
            RELEASE := --flag: value
            NAME:=value
            test-all: setup
            \t$(SWIFT) test: now
            lint:
            """
        #expect(WorkflowChecker.targets(ofMakefile: text) == ["test-all", "lint"])
    }
}
