// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A check that finds links between pages that lead nowhere. It reads each linked page once.
struct LinkChecker {
    /// The names of the headings of pages that have been read.
    private var anchors: [URL: Set<String>] = [:]

    /// The articles of all documentation catalogs.
    static let articles: [String] = {
        let root = Repository.root.appendingPathComponent("Sources")
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        var articles: [String] = []
        for case let file as URL in files ?? .init() where file.pathExtension == "md" && file.path.contains(".docc/") {
            articles.append("Sources" + file.path.dropFirst(root.path.count))
        }
        return articles.sorted()
    }()

    /// The links of a page that lead to no file, or to no heading of a file, each with the problem.
    ///
    /// - Parameter path: The place of the page in the repository. The page need not be there yet.
    mutating func brokenLinks(of page: MarkdownPage, at path: String) -> [(link: MarkdownPage.Link, problem: String)] {
        anchors[Repository.root.appendingPathComponent(path).standardizedFileURL] = page.anchors
        var broken: [(link: MarkdownPage.Link, problem: String)] = []
        for link in page.links {
            if let problem = problem(of: link, in: path) { broken.append((link, problem)) }
        }
        return broken
    }

    private mutating func anchors(of file: URL) -> Set<String> {
        let file = file.standardizedFileURL
        if let known = anchors[file] { return known }
        let found = (try? String(contentsOf: file, encoding: .utf8)).map { MarkdownPage($0).anchors } ?? []
        anchors[file] = found
        return found
    }

    /// The reason why a link of a page leads nowhere, or `nil`.
    private mutating func problem(of link: MarkdownPage.Link, in path: String) -> String? {
        let catalog = path.firstRange(of: ".docc/").map { String(path[..<$0.upperBound]) }
        if link.target.hasPrefix("doc:") { return problem(ofArticle: link.target.dropFirst("doc:".count), in: catalog) }
        if link.target.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.-]*:/) != nil { return nil }
        let parts = link.target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts[0].removingPercentEncoding else { return "is no path" }
        if link.isImage, let catalog, Self.has(resource: name, in: catalog) { return nil }
        let page = Repository.root.appendingPathComponent(path).standardizedFileURL
        let file = name.isEmpty ? page : page.deletingLastPathComponent().appendingPathComponent(name).standardizedFileURL
        guard file.path.hasPrefix(Repository.root.standardizedFileURL.path) else { return "is outside the repository" }
        guard file == page || FileManager.default.fileExists(atPath: file.path) else { return "does not exist" }
        guard parts.count == 2, file.pathExtension == "md" else { return nil }
        return anchors(of: file).contains(String(parts[1])) ? nil : "is no heading there"
    }

    /// The build of the documentation checks the names of symbols.
    private mutating func problem(ofArticle target: Substring, in catalog: String?) -> String? {
        guard let catalog else { return "is for articles only" }
        let parts = target.split(separator: "#", maxSplits: 1)
        guard let name = parts.first, !name.contains("/") else { return nil }
        guard let article = Self.articles.first(where: { $0.hasPrefix(catalog) && $0.hasSuffix("/\(name).md") }) else {
            return Self.has(resource: String(name), in: catalog) || catalog.hasSuffix("/\(name).docc/") ? nil : "is no article of \(catalog)"
        }
        guard parts.count == 2 else { return nil }
        return anchors(of: Repository.root.appendingPathComponent(article)).contains(parts[1].lowercased()) ? nil : "is no heading there"
    }

    /// Whether a catalog has a file of this name, or of this name before its extension, `~dark` or `@2x`.
    private static func has(resource name: String, in catalog: String) -> Bool {
        let files = FileManager.default.enumerator(atPath: Repository.root.appendingPathComponent(catalog).path)
        for case let file as String in files ?? .init() {
            let last = file.split(separator: "/").last.map(String.init) ?? file
            if last == name || last.prefixMatch(of: /[^.~@]*/).map({ $0.output == name[...] }) == true { return true }
        }
        return false
    }
}
