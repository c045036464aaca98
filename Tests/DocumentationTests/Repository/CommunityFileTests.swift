// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// The files that a host of repositories reads, and those that people read first.
@Suite struct CommunityFileTests {
    private static let forms = ".github/ISSUE_TEMPLATE"

    @Test(arguments: ["bug.yml", "feature.yml"])
    func aFormAsksQuestionsThatHaveNamesAndLabels(name: String) throws {
        let form = try YAMLValue(yaml: try Repository.text("\(Self.forms)/\(name)"))
        #expect(form["name"]?.text?.isEmpty == false)
        #expect(form["description"]?.text?.isEmpty == false)
        let questions = try #require(form["body"]?.list)
        #expect(questions.count >= 3)
        let identifiers = questions.compactMap { $0["id"]?.text }
        #expect(Set(identifiers).count == questions.count, "Each question has an id of its own.")
        for question in questions {
            let type = question["type"]?.text ?? ""
            #expect(["input", "textarea", "dropdown", "checkboxes"].contains(type), "\(type)")
            #expect(question["attributes"]?["label"]?.text?.isEmpty == false)
            #expect((question["attributes"]?["options"] != nil) == ["dropdown", "checkboxes"].contains(type))
        }
    }

    @Test func everyFormIsLookedAt() throws {
        #expect(try Repository.names(in: Self.forms) == ["bug.yml", "config.yml", "feature.yml"])
        let settings = try YAMLValue(yaml: try Repository.text("\(Self.forms)/config.yml"))
        #expect(settings.group?.map(\.key) == ["blank_issues_enabled"])
    }

    @Test func dependabotLooksAfterActionsAndEveryManifest() throws {
        let settings = try YAMLValue(yaml: try Repository.text(".github/dependabot.yml"))
        #expect(settings["version"]?.text == "2")
        let updates = try #require(settings["updates"]?.list)
        #expect(updates.compactMap { $0["package-ecosystem"]?.text } == ["github-actions", "swift"])
        #expect(updates[0]["directory"]?.text == "/")
        let directories = updates[1]["directories"]?.texts ?? []
        let examples = try Repository.names(in: "Examples").filter { Repository.has("Examples/\($0)/Package.swift") }.map { "/Examples/\($0)" }
        #expect(Set(directories) == Set(["/", "/Benchmarks", "/Fuzz"] + examples))
        for update in updates { #expect(update["schedule"]?["interval"]?.text == "weekly") }
    }

    @Test func contributorsAreLedToTheOtherPages() throws {
        let text = try Repository.text("CONTRIBUTING.md")
        for page in ["CODE_OF_CONDUCT.md", "SECURITY.md", ".github/PULL_REQUEST_TEMPLATE.md"] {
            let isLinked = text.contains("](\(page))")
            #expect(isLinked, "\(page)")
        }
    }
}
