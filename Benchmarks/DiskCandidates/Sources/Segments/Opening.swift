// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The state in which a store is found when it is opened.
struct Opening {
    /// The state of one log.
    struct LogState {
        let name: LogName
        /// In ascending order, with consecutive numbers.
        var segments: [SegmentFile] = []
        /// The entries of the newest segment, if that is open.
        var open: (segment: SegmentFile, places: [HashedPlace], end: Int)?
        var sequence: UInt64 = 0
        var formerDataEnd = 0
        var nextNumber: UInt64 = 1
        /// Whether older records than those of `segments` are lost, and no one knows of which keys.
        var endsTrust = false
        /// The files of segments that are given up, the oldest first.
        var givenUp: [String] = []
    }

    private(set) var logs: [LogName: LogState] = [:]

    init(directory: String, identity: StoreFile, position: [LogName: PositionFile.Position]) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory).compactMap(SegmentName.init(file:))
        for log in LogName.allCases {
            var log = try LogState(
                log,
                names.filter { $0.log == log }.map(\.number),
                directory: directory,
                identity: identity,
                position: position[log]
            )
            // A removal in the small log may be lost.
            if logs[.small]?.endsTrust ?? false { log.giveUpAll() }
            logs[log.name] = log
        }
        // The main log first, and of each log the oldest first. So an opening that ends in between leaves the damage by which the next one knows
        // what to give up.
        for file in [LogName.main, .small].compactMap({ logs[$0]?.givenUp }).joined() { try DataFile.delete("\(directory)/\(file)") }
    }
}

extension Opening.LogState {
    /// Opens the segments of a log, and gives up those that are older than a gap.
    init(_ name: LogName, _ found: [UInt64], directory: String, identity: StoreFile, position: PositionFile.Position?) throws {
        self.name = name
        var numbers = found.sorted()
        nextNumber = max(numbers.last ?? 0, position?.segment.number ?? 0) + 1
        sequence = position?.sequence ?? 0
        // Where a number is missing, no older record can be trusted to be the latest.
        if let position, position.segment.number > numbers.last ?? 0 { numbers.append(position.segment.number) }
        for number in numbers.reversed() {
            if let next = segments.last?.name.number, number + 1 != next {
                endsTrust = true
                break
            }
            let name = SegmentName(name, number)
            let seed = position.flatMap { $0.segment == name && $0.seed != 0 ? $0.seed : nil }
            guard FileManager.default.fileExists(atPath: "\(directory)/\(name.file)"),
                let segment = try SegmentFile.open(in: directory, name: name, store: identity.number, fallbackSeed: seed)
            else {
                // A segment that has been made and not yet begun is no loss. Its number is used again, as numbers are consecutive.
                if segments.isEmpty, position.map({ $0.segment.number < number }) ?? true {
                    nextNumber = number
                    continue
                }
                endsTrust = true
                break
            }
            segments.append(segment)
        }
        segments.reverse()
        let kept = Set(segments.map(\.name.number))
        givenUp = numbers.filter { !kept.contains($0) }.map { SegmentName(name, $0).file }
        try openNewest(position, segmentBytes: identity.segmentBytes)
    }

    /// Goes on with the newest segment: with all of its entries after a kill, with its footer otherwise.
    private mutating func openNewest(_ position: PositionFile.Position?, segmentBytes: Int) throws {
        guard let newest = segments.last else { return }
        if let footer = newest.footer.withLock({ $0 }) {
            sequence = max(sequence, footer.lastSequence)
            formerDataEnd = footer.dataEnd
            if footer.dataEnd < segmentBytes / 4 * 3, let places = try footer.places(of: newest) { open = (newest, places, footer.dataEnd) }
            return
        }
        let scan = try SegmentScan(newest, validByteCount: position.flatMap { $0.segment == newest.name ? $0.validByteCount : nil })
        sequence = max(sequence, scan.lastSequence)
        if scan.endsTrust {
            endsTrust = true
            // The entries before the loss would count again when others have been written behind them.
            guard !scan.places.isEmpty else { return giveUpAll() }
            giveUp(segments.count - 1)
        }
        open = (newest, scan.places, scan.end)
    }

    mutating func giveUpAll() {
        giveUp(segments.count)
        open = nil
        formerDataEnd = 0
    }

    /// Gives up the oldest segments.
    private mutating func giveUp(_ count: Int) {
        givenUp += segments.prefix(count).map(\.name.file)
        segments.removeFirst(count)
    }
}

extension Opening {
    /// The log goes on in the segment that has no footer.
    func makeLog(_ name: LogName, generation: UInt64) -> Log {
        let state = logs[name]
        var log = Log(name, sequence: state?.sequence ?? 0, generation: generation, nextNumber: state?.nextNumber ?? 1)
        log.formerDataEnd = state?.formerDataEnd ?? 0
        // Records that moved have kept their numbers.
        if name == .small { log.sequence = max(log.sequence, logs[.main]?.sequence ?? 0) }
        guard let open = state?.open else { return log }
        do { try open.segment.file.truncate(to: open.end) } catch {
            // It gets no more entries, and is read again next time.
            return log
        }
        open.segment.footer.withLock { $0 = nil }
        open.segment.byteCount.store(open.end, ordering: .relaxed)
        log.segment = open.segment
        log.end = open.end
        log.writtenBack = open.end
        log.places = open.places
        return log
    }
}

extension SegmentStore {
    /// Puts the records of the open small segment into the index, and has the rest loaded.
    func begin(_ opened: Opening) {
        var rest: [(segment: SegmentFile, places: [HashedPlace]?)] = []
        for name in LogName.allCases {
            for segment in opened.logs[name]?.segments.reversed() ?? [] {
                let open = opened.logs[name]?.open.flatMap { $0.segment === segment ? $0.places.lastOfEachHash() : nil }
                rest.append((segment, open))
            }
        }
        if let first = rest.first, let places = first.places, first.segment.name.log == .small {
            add(places, of: first.segment)
            first.segment.isLoaded.store(true, ordering: .releasing)
            rest.removeFirst()
        }
        guard !rest.isEmpty else {
            finishLoading()
            return
        }
        workers.load { [self, rest] in load(rest[...]) }
    }

    /// Adds places whose hashes have none.
    private func add(_ places: [HashedPlace], of segment: SegmentFile) {
        places.withUnsafeBufferPointer { places in
            index.add(places) { place in if !place.isRemoval { count(place, in: segment) } }
        }
    }

    /// Loads segments: those of the small log first, as it has the later record of a key, and of each log the newest first.
    private func load(_ segments: ArraySlice<(segment: SegmentFile, places: [HashedPlace]?)>) {
        var segments = segments
        while let (segment, known) = segments.popFirst() {
            guard !workers.isStopped else { return }
            // A reader that finds the segment loaded goes on to older ones. So what cannot be trusted is given up before.
            defer { segment.isLoaded.store(true, ordering: .releasing) }
            let loaded = known.map { (places: $0, endsTrust: false) } ?? (try? places(of: segment)) ?? (places: [], endsTrust: true)
            add(loaded.places, of: segment)
            guard loaded.endsTrust else { continue }
            let log = segment.name.log
            giveUp(segments.prefix { $0.segment.name.log == log }.map(\.segment).reversed())
            segments = segments.drop { $0.segment.name.log == log }
            if log == .small {
                giveUpMain()
                segments = []
            }
        }
        finishLoading()
    }

    private func places(of segment: SegmentFile) throws -> (places: [HashedPlace], endsTrust: Bool) {
        if let places = try segment.footer.withLock({ $0 })?.places(of: segment) { return (places, false) }
        // Killed before it was sealed, or damaged.
        let dataEnd = segment.footer.withLock { $0 }?.dataEnd
        let next = segments.newestFirst.first { $0.name == segment.name.next }
        let scan = try SegmentScan(segment, validByteCount: dataEnd ?? next?.formerDataEnd)
        if !scan.endsTrust, dataEnd == nil {
            let full = FullSegment(segment: segment, places: scan.places, dataEnd: scan.end, lastSequence: scan.lastSequence)
            try segment.file.truncate(to: scan.end)
            try seal(full)
        }
        return (scan.places.lastOfEachHash(), scan.endsTrust)
    }

    private func finishLoading() {
        small.withLock { _ in
            counters.isComplete.store(true, ordering: .releasing)
            index.removeAll { $0.place.isRemoval }
        }
        cleanIfNeeded()
    }
}
