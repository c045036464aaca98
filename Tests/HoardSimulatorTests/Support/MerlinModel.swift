// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

@testable import HoardSimulator

/// Merlin with one array for each queue, in which the oldest key is first, and a sketch of four arrays.
struct MerlinModel: ReplacementPolicy {
    let capacity: Int
    var countsBytes = false
    var filter: [ModelObject] = []
    var staging: [ModelObject] = []
    var core: [ModelObject] = []
    var ghosts: [ModelObject] = []
    var rows: [[Int]] = []
    var threshold = 2
    var evictions = 0
    var rounds = 0
    var count: Int { filter.count + staging.count + core.count }
    var size: Int { bytes(filter) + bytes(staging) + bytes(core) }
    var filterCapacity: Int { max(1, capacity / 10) }
    var coreCapacity: Int { max(0, capacity - filterCapacity - max(1, capacity / 20)) }

    init(capacity: Int) { self.capacity = capacity }

    private func bytes(_ queue: [ModelObject]) -> Int { queue.reduce(0) { $0 + $1.size } }

    mutating func access(_ key: UInt64, size: Int) -> Bool {
        if (filter + staging + core).contains(where: { $0.key == key }) {
            for queue in [\Self.filter, \.staging, \.core] {
                guard let index = self[keyPath: queue].firstIndex(where: { $0.key == key }) else { continue }
                self[keyPath: queue][index].uses = min(7, self[keyPath: queue][index].uses + 1)
                self[keyPath: queue][index].size = size
            }
            if size > capacity { _ = remove(key) }
            while self.size > capacity { evict(for: 0) }
            return true
        }
        var ghost: ModelObject?
        if let index = ghosts.firstIndex(where: { $0.key == key }) {
            ghosts[index].uses = min(7, ghosts[index].uses + 1)
            ghost = ghosts[index]
        }
        let isHot = (ghost?.uses ?? 0) >= threshold
        if countsBytes, size > filterCapacity { return false }
        while self.size + size > capacity { evict(for: size) }
        if let ghost, isHot {
            core.append(ModelObject(key: key, size: size, uses: ghost.uses))
            ghosts.removeAll { $0.key == key }
        } else if ghost != nil {
            note(key)
            staging.append(ModelObject(key: key, size: size))
        } else if filter.isEmpty, staging.isEmpty {
            core.append(ModelObject(key: key, size: size))
        } else {
            filter.append(ModelObject(key: key, size: size))
        }
        return false
    }

    mutating func remove(_ key: UInt64) -> Bool {
        guard (filter + staging + core).contains(where: { $0.key == key }) else { return false }
        filter.removeAll { $0.key == key }
        staging.removeAll { $0.key == key }
        core.removeAll { $0.key == key }
        ghosts.removeAll { $0.key == key }
        return true
    }

    private mutating func evict(for size: Int) {
        widen(countsBytes ? count : capacity)
        evictions += 1
        if evictions >= count {
            evictions = 0
            rounds += 1
            if rounds == 32 {
                rounds = 0
                rows = rows.map { $0.map { $0 / 2 } }
            }
        }
        adjustThreshold()
        if !filter.isEmpty, bytes(filter) + size > filterCapacity { evictFromFilter() } else { evictFromStaging() }
        while bytes(ghosts) > capacity { ghosts.removeFirst() }
    }

    private func keysUsed(_ uses: Int) -> Int { (filter + staging + core + ghosts).count { $0.uses >= uses } }

    private mutating func adjustThreshold() {
        guard keysUsed(threshold) <= core.count else {
            while threshold < 7, keysUsed(threshold) > core.count { threshold += 1 }
            return
        }
        while threshold > 1, keysUsed(threshold - 1) < core.count { threshold -= 1 }
    }

    private mutating func evictFromFilter() {
        while let oldest = filter.first {
            if oldest.uses >= threshold {
                note(oldest.key)
                filter.removeFirst()
                core.append(ModelObject(key: oldest.key, size: oldest.size))
            } else {
                if isBetterThanStaging(oldest) {
                    moveToStaging()
                    staging.removeFirst()
                } else {
                    note(oldest.key)
                    ghosts.append(filter.removeFirst())
                }
                return
            }
        }
    }

    private mutating func evictFromStaging() {
        while true {
            while bytes(core) > coreCapacity { staging.append(core.removeFirst()) }
            while var oldest = staging.first {
                if oldest.uses == 0 {
                    if let newcomer = filter.first, isBetterThanStaging(newcomer) { moveToStaging() }
                    staging.removeFirst()
                    return
                }
                note(oldest.key)
                ghosts.removeAll { $0.key == oldest.key }
                staging.removeFirst()
                oldest.uses -= 1
                core.append(oldest)
            }
        }
    }

    private func isBetterThanStaging(_ newcomer: ModelObject) -> Bool {
        guard let oldest = staging.first, oldest.uses == 0 else { return false }
        return uses(newcomer.key) <= 32 && uses(newcomer.key) > uses(oldest.key)
    }

    private mutating func moveToStaging() {
        let newcomer = filter.removeFirst()
        note(newcomer.key)
        ghosts.append(newcomer)
        staging.append(ModelObject(key: newcomer.key, size: newcomer.size))
    }

    private mutating func widen(_ entries: Int) {
        guard rows.isEmpty || entries * 4 > rows[0].count else { return }
        var width = 32
        while width < entries * 4 { width *= 2 }
        rows = Array(repeating: Array(repeating: 0, count: width), count: 4)
    }

    private func place(_ key: UInt64, row: Int) -> Int {
        CountingSketch.place(mixed(key), row: row, width: rows[0].count) - row * rows[0].count
    }

    private mutating func note(_ key: UInt64) {
        for row in rows.indices { rows[row][place(key, row: row)] = min(255, rows[row][place(key, row: row)] + 1) }
    }

    private func uses(_ key: UInt64) -> Int { rows.indices.map { rows[$0][place(key, row: $0)] }.min() ?? 0 }
}
