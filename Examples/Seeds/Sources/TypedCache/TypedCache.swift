// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting

/// A typed cache with lifetimes and a limit, kept in a file between two runs of an app.
///
/// The differences from the tutorial, and their reasons:
///
/// - `Cache` is Hoard's own and does not wrap `NSCache`: keys and values are any `Hashable` and `Sendable` types,
///   so neither `WrappedKey` nor `Entry` is needed, it knows its keys by itself, and a full cache evicts the
///   least used value instead of the newcomer.
/// - The date provider is a `Ticker`: lifetimes are measured with a clock that the user cannot set.
///   Here the program moves it.
/// - The file holds a snapshot, not the cache: reading it back changes no limit and no lifetime, and entries
///   that have expired meanwhile stay away. A path names the file; the tutorial's
///   `saveToDisk(withName:using:)` is `save(to:)`.
@main
struct Program {
    struct Article: Codable, Hashable, Sendable {
        let id: Int
        var title: String
    }

    static func main() async throws {
        let time = ManualTicker()
        let articles = Self.makeCache(time)

        print("Insert, read, remove")
        articles.insert(Article(id: 1, title: "Caching"), forKey: 1)
        show("value for 1", articles.value(forKey: 1)?.title)
        articles[2] = Article(id: 2, title: "Generics")
        show("subscript for 2", articles[2]?.title)
        articles[2] = nil
        show("after assigning nil", articles[2]?.title)
        articles.removeValue(forKey: 1)
        show("after removing 1", articles.value(forKey: 1)?.title)

        print("\nStale values")
        articles[3] = Article(id: 3, title: "Codable")
        time.advance(by: .seconds(11 * 60 * 60))
        articles[4] = Article(id: 4, title: "Subscripts")
        show("3 after eleven hours", articles[3]?.title)
        time.advance(by: .seconds(60 * 60))
        show("3 after twelve hours", articles[3]?.title)
        show("4 after one hour", articles[4]?.title)

        print("\nA limit")
        for id in 100..<200 { articles[id] = Article(id: id, title: "Article \(id)") }
        show("entries", articles.count)
        show("the newest is there", articles.contains(199))
        articles.removeAll()

        try await saveAndRestore(articles, time)
        try await load(articles)
    }

    static func makeCache(
        _ time: ManualTicker
    ) -> Cache<Int, Article> {
        Cache(
            maximumCount: 50,
            expiration: .afterWrite(.seconds(12 * 60 * 60)),
            ticker: time
        )
    }

    static func saveAndRestore(_ articles: Cache<Int, Article>, _ time: ManualTicker) async throws {
        print("\nPersistent caching")
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-seeds-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("articles.cache").path

        articles[5] = Article(id: 5, title: "Files")
        time.advance(by: .seconds(6 * 60 * 60))
        articles[6] = Article(id: 6, title: "Folders")
        show("entries saved", try articles.save(to: file, clock: time))

        // The next run of the app, seven hours later.
        time.advance(by: .seconds(7 * 60 * 60))
        let next = makeCache(time)
        let count = try next.restore(from: file, clock: time)
        show("entries restored", count)
        show("5 after thirteen hours", next[5]?.title)
        show("6 after seven hours", next[6]?.title)
        time.advance(by: .seconds(5 * 60 * 60))
        show("6 after twelve hours", next[6]?.title)
        show("limit as configured", next.configuration.maximumCount)
    }

    static func load(_ articles: Cache<Int, Article>) async throws {
        print("\nBeyond the tutorial: a value that is missing is loaded, once for all who ask")
        let loads = Counter()
        let titles = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    try await articles.value(forKey: 7) { id in
                        await loads.increment()
                        return Article(id: id, title: "Actors")
                    }.title
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        show("what a hundred callers got", titles.sorted().joined(separator: ", "))
        show("loads", await loads.count)
    }

    static func show(_ name: String, _ value: (some Any)?) {
        print("  \(name): \(value.map { "\($0)" } ?? "nothing")")
    }
}

actor Counter {
    private(set) var count = 0

    func increment() { count += 1 }
}
