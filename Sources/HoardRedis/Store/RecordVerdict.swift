// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The verdict on a record, by the generations that its tags, its partition and everything have now.
enum RecordVerdict: Sendable, Hashable {
    /// It is there; its freshness has been ended at `freshnessEnd`, if at all.
    case valid(freshnessEnd: Date?)
    /// It was removed by a tag, by its partition or with everything.
    case removed
    /// The generations of these must be read first.
    case undecided([RecordScope])
}

extension StoredRecord {
    /// Judges the record. O(number of its tags).
    ///
    /// - Parameter generation: The known state of a group: its generation, that there is none, or that it is unknown.
    func verdict(_ generation: (RecordScope) -> KnownGeneration) -> RecordVerdict {
        var unknown: [RecordScope] = []
        var end: Date?
        func isRemoved(_ scope: RecordScope, _ reference: GenerationReference) -> Bool {
            switch generation(scope) {
            case .unknown:
                unknown.append(scope)
                return false
            case .known(let generation):
                guard let generation, generation.number == reference.number else { return true }
                if let date = generation.freshnessEnd(for: reference) { end = end.map { min($0, date) } ?? date }
                return false
            }
        }
        if isRemoved(.everything, self.generation) { return .removed }
        for (scope, reference) in references where isRemoved(scope, reference) { return .removed }
        return unknown.isEmpty ? .valid(freshnessEnd: end) : .undecided(unknown)
    }

    /// The groups that the record is in, with its references to their generations.
    var allReferences: [(scope: RecordScope, generation: GenerationReference)] { [(.everything, generation)] + references }
}

/// A group's generation, as far as it is known.
enum KnownGeneration: Sendable, Hashable {
    case unknown
    /// `nil`: it has none.
    case known(Generation?)
}
