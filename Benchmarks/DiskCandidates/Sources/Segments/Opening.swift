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
    /// In ascending order, with consecutive numbers.
    private(set) var segments: [SegmentFile] = []
    /// The entries of the newest segment, if that is open.
    private(set) var open: (segment: SegmentFile, places: [HashedPlace], end: Int)?
    private(set) var sequence: UInt64 = 0
    private var formerDataEnd = 0
    private(set) var nextNumber: UInt64 = 1

    init(directory: String, identity: StoreFile, position: PositionFile.Position?, journal: (any CommitJournal)?) throws {
        let latest = try journal?.latest().map { PositionFile.Position(segment: $0.segment, validByteCount: $0.validByteCount, sequence: 0, seed: 0) }
        let position = latest ?? position
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        var numbers = names.compactMap(SegmentFile.number(ofFile:)).sorted()
        nextNumber = max(numbers.last ?? 0, position?.segment ?? 0) + 1
        sequence = position?.sequence ?? 0
        // Where a number is missing, no older record can be trusted to be the latest.
        if let position, let last = numbers.last, position.segment > last { numbers.append(position.segment) }
        for number in numbers.reversed() {
            if let next = segments.last?.number, number + 1 != next { break }
            let seed = position.flatMap { $0.segment == number && $0.seed != 0 ? $0.seed : nil }
            guard FileManager.default.fileExists(atPath: "\(directory)/\(SegmentFile.name(number))"),
                let segment = try SegmentFile.open(in: directory, number: number, store: identity.number, fallbackSeed: seed)
            else {
                // A segment that has been made and not yet begun is no loss.
                if segments.isEmpty, position.map({ $0.segment < number }) ?? true { continue }
                break
            }
            segments.append(segment)
        }
        segments.reverse()
        let kept = Set(segments.map(\.number))
        for number in numbers where !kept.contains(number) {
            try? FileManager.default.removeItem(atPath: "\(directory)/\(SegmentFile.name(number))")
        }
        try openNewest(position, hasCommits: journal == nil, segmentBytes: identity.segmentBytes)
    }

    /// Goes on with the newest segment: with all of its entries after a kill, with its footer otherwise.
    private mutating func openNewest(_ position: PositionFile.Position?, hasCommits: Bool, segmentBytes: Int) throws {
        guard let newest = segments.last else { return }
        if let footer = newest.footer.withLock({ $0 }) {
            sequence = max(sequence, footer.lastSequence)
            formerDataEnd = footer.dataEnd
            if footer.dataEnd < segmentBytes / 4 * 3, let places = try footer.places(of: newest) { open = (newest, places, footer.dataEnd) }
            return
        }
        let valid = position.flatMap { $0.segment == newest.number ? $0.validByteCount : nil }
        let scan = try SegmentScan(newest, validByteCount: valid, hasCommits: hasCommits)
        sequence = max(sequence, scan.lastSequence)
        if scan.endsTrust {
            for segment in segments.dropLast() { try segment.file.delete() }
            segments = [newest]
        }
        open = (newest, scan.places, scan.end)
    }

    /// The writer goes on in the segment that has no footer.
    func makeWriter(generation: UInt64) -> Writer {
        var writer = Writer(sequence: sequence, nextNumber: nextNumber)
        writer.generation = generation
        writer.formerDataEnd = formerDataEnd
        guard let open else { return writer }
        do { try open.segment.file.truncate(to: open.end) } catch {
            // It gets no more entries, and is read again next time.
            return writer
        }
        open.segment.footer.withLock { $0 = nil }
        open.segment.byteCount.store(open.end, ordering: .relaxed)
        writer.segment = open.segment
        writer.end = open.end
        writer.writtenBack = open.end
        writer.places = open.places
        return writer
    }
}

extension SegmentStore {
    /// Puts the known records into the index, and has the rest loaded.
    func begin(_ opened: Opening) {
        let isOpen = opened.open?.segment.number
        if let open = opened.open {
            open.segment.isLoaded.store(true, ordering: .releasing)
            for place in open.places {
                let former = index.set(place.hash, to: place.place)
                if let former, !former.isRemoval { forget(former) }
                if !place.place.isRemoval { count(place.place, in: open.segment) }
            }
        }
        let rest = opened.segments.reversed().filter { $0.number != isOpen }
        guard !rest.isEmpty else {
            finishLoading()
            return
        }
        workers.load { [self] in load(rest) }
    }

    /// Loads segments, the newest first.
    private func load(_ segments: [SegmentFile]) {
        var next = self.segments.newestFirst.first { $0.number == (segments.first?.number ?? 0) + 1 }
        for (number, segment) in segments.enumerated() {
            guard !workers.isStopped else { return }
            let loaded = (try? places(of: segment, dataEnd: next?.formerDataEnd)) ?? (places: [], endsTrust: true)
            next = segment
            loaded.places.withUnsafeBufferPointer { places in
                index.add(places) { place in if !place.isRemoval { count(place, in: segment) } }
            }
            segment.isLoaded.store(true, ordering: .releasing)
            if loaded.endsTrust {
                forgetOlder(segments[(number + 1)...])
                break
            }
        }
        finishLoading()
    }

    private func places(of segment: SegmentFile, dataEnd known: Int?) throws -> (places: [HashedPlace], endsTrust: Bool) {
        if let places = try segment.footer.withLock({ $0 })?.places(of: segment) { return (places, false) }
        // Killed before it was sealed, or damaged.
        let dataEnd = segment.footer.withLock { $0 }?.dataEnd
        let scan = try SegmentScan(segment, validByteCount: dataEnd ?? known, hasCommits: journal == nil)
        if !scan.endsTrust, dataEnd == nil {
            let full = FullSegment(segment: segment, places: scan.places, dataEnd: scan.end, lastSequence: scan.lastSequence)
            try segment.file.truncate(to: scan.end)
            try seal(full)
        }
        var latest: [UInt64: Place] = [:]
        for place in scan.places { latest[place.hash] = place.place }
        return (latest.map { HashedPlace(hash: $0.key, place: $0.value) }.sorted { $0.hash < $1.hash }, scan.endsTrust)
    }

    /// Gives up segments whose records may not be the latest of their keys.
    private func forgetOlder(_ segments: ArraySlice<SegmentFile>) {
        for segment in segments.reversed() {
            try? segment.file.delete()
            try? journal?.remove(segment: segment.number)
            self.segments.removeOldest()
        }
    }

    private func finishLoading() {
        writer.withLock { _ in
            counters.isComplete.store(true, ordering: .releasing)
            index.removeAll { $0.place.isRemoval }
        }
        cleanIfNeeded()
    }
}
