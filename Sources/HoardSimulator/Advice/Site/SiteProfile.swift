// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The figures of a site, path by path, from an access log. It is told of each line as the log is read.
///
/// It takes about 100 bytes for each different target, and 16 for each pair of a target and a client.
final class SiteProfile {
    /// A target that was asked for.
    private struct Object {
        var node: Int
        var requests = 0
        /// The bytes of the last complete answer.
        var size: Int?
        /// When it was loaded or confirmed last, and how long that took.
        var loadTime: UInt64?
        var loadDuration: UInt64?
        /// Whether it has been answered well.
        var isGood = false
    }

    private(set) var tree = PathTree()
    private(set) var queries = QuerySplits()
    private var numbers = KeyTable()
    private var objects: [Object] = []
    /// Pairs of a target and a client, or an agent, by their hashes.
    private var pairs: Set<UInt64> = []
    private static let pairLimit = 1 << 22

    /// Whether lines have the outcome in the cache, the duration, the `User-Agent` and the client.
    private(set) var hasOutcomes = false
    private(set) var hasDurations = false
    private(set) var hasAgents = false
    private(set) var hasClients = false
    private(set) var hosts: Set<[UInt8]> = []
    /// Milliseconds since 1970.
    private(set) var firstTime: UInt64?
    private(set) var lastTime: UInt64 = 0

    /// For how many milliseconds the log goes on.
    var span: UInt64 { lastTime - (firstTime ?? lastTime) }

    /// Adds a line.
    func add(_ line: borrowing LogLine) {
        guard let key = line.key, let status = line.status, line.method != .other else { return }
        if let time = line.time {
            firstTime = min(firstTime ?? time, time)
            lastTime = max(lastTime, time)
        }
        if line.outcome != nil { hasOutcomes = true }
        if line.duration != nil { hasDurations = true }
        if line.agent != nil { hasAgents = true }
        if line.client != nil { hasClients = true }
        if hosts.count < 2 { hosts.insert(line.host) }
        let number = number(of: key, line)
        var request = SiteRequest(line, status: status)
        // Pairs are known before the request counts as one.
        request.isNewAgent = isNew(key, line.agent)
        request.isNewClient = isNew(key, line.client.map { $0 &+ 1 })
        note(request, number)
        if status == 200, line.method == .get, !line.query.isEmpty, objects[number].requests == 1, let size = request.size {
            let seed = line.host.isEmpty ? 0 : line.host.withSpan { $0.hash(0..<$0.count) }
            queries.add(path: line.path, query: line.query, key: key, seed: seed, size: size, node: objects[number].node)
        }
    }

    /// The tree, with the figures of objects. O(objects).
    func treeWithObjects() -> PathTree {
        var tree = tree
        for object in objects {
            tree.note(object.node) { figures in
                figures.objects += 1
                figures.objectBytes = figures.objectBytes.adding(object.size ?? 0)
                if object.requests > 1 {
                    figures.repeatedObjects += 1
                }
            }
        }
        return tree
    }

    private func number(of key: UInt64, _ line: borrowing LogLine) -> Int {
        if let number = numbers[key] { return number }
        numbers.insert(key, objects.count)
        objects.append(Object(node: tree.node(for: line.path)))
        return objects.count - 1
    }

    /// Whether `who` asks for the object for the first time; `nil` if that is not known.
    private func isNew(_ key: UInt64, _ who: UInt64?) -> Bool? {
        guard let who else { return nil }
        let pair = mixed(key) ^ who
        if pairs.count >= Self.pairLimit { return pairs.contains(pair) ? false : nil }
        return pairs.insert(pair).inserted
    }

    private func note(_ request: SiteRequest, _ number: Int) {
        objects[number].requests += 1
        let object = objects[number]
        tree.note(object.node) { figures in
            figures.requests += 1
            figures.sentBytes = figures.sentBytes.adding(request.size ?? 0)
            if request.status == 304 { figures.notModified += 1 }
            if request.status >= 500, object.isGood { figures.failures += 1 }
            if request.isNewClient == false, let size = request.size, size == object.size {
                figures.repeatedAnswers += 1
                figures.repeatedBytes = figures.repeatedBytes.adding(size)
            }
            if request.status < 500 { request.noteOutcome(loaded: object.loadTime, duration: object.loadDuration, size: object.size, in: &figures) }
        }
        if request.status < 400 || request.status == 404 || request.status == 410 { objects[number].isGood = true }
        if let size = request.size { objects[number].size = size }
        if request.setsAge {
            objects[number].loadTime = request.time
            objects[number].loadDuration = request.duration
        }
    }
}
