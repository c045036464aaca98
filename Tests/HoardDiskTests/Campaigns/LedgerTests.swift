// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardDiskTorture

@Suite final class LedgerTests {
    private var ledger = Ledger(keys: 0..<8)

    private func accepts(_ held: Held, forKey key: Int) -> Bool { ledger.observe(held, forKey: key) }

    @Test func aKeyThatWasNeverWrittenHoldsNothing() {
        #expect(ledger.possibilities(forKey: 0) == [.nothing])
        #expect(!accepts(.version(1), forKey: 0))
        #expect(accepts(.nothing, forKey: 0))
    }

    @Test func anInsertThatWasBegunMayHaveHappened() {
        ledger.acknowledge(.insert(key: 1, version: 1))
        ledger.intend(.insert(key: 1, version: 2))
        #expect(ledger.possibilities(forKey: 1) == [.version(1), .version(2)])
        #expect(!accepts(.nothing, forKey: 1))
    }

    @Test func anInsertThatHasReturnedHasHappened() {
        ledger.intend(.insert(key: 1, version: 1))
        ledger.acknowledge(.insert(key: 1, version: 1))
        #expect(ledger.possibilities(forKey: 1) == [.version(1)])
        #expect(!accepts(.nothing, forKey: 1))
        #expect(!accepts(.version(2), forKey: 1))
        #expect(accepts(.version(1), forKey: 1))
    }

    @Test func whatWasReadIsAllThatIsPossibleLater() {
        ledger.acknowledge(.insert(key: 1, version: 1))
        ledger.intend(.insert(key: 1, version: 2))
        #expect(accepts(.version(2), forKey: 1))
        #expect(!accepts(.version(1), forKey: 1))
    }

    @Test func aRemovedKeyDoesNotComeBack() {
        ledger.acknowledge(.insert(key: 1, version: 1))
        ledger.intend(.remove(key: 1))
        #expect(ledger.possibilities(forKey: 1) == [.version(1), .nothing])
        ledger.acknowledge(.remove(key: 1))
        #expect(!accepts(.version(1), forKey: 1))
    }

    @Test func aTagRemovesTheVersionsThatHaveIt() throws {
        let key = 2
        let tag = Content.owner(ofKey: key) * Content.tagsPerOwner
        let tagged = try #require((1...100).first { Content.tag(key: key, version: $0) == tag })
        let other = try #require((1...100).first { Content.tag(key: key, version: $0) != tag })
        ledger.acknowledge(.insert(key: key, version: tagged))
        ledger.intend(.insert(key: key, version: other))
        ledger.intend(.removeTag(tag))
        #expect(ledger.possibilities(forKey: key) == [.version(tagged), .version(other), .nothing])
        ledger.acknowledge(.removeTag(tag))
        #expect(ledger.possibilities(forKey: key) == [.version(other), .nothing])
    }

    @Test func anInsertThatFailedMayHaveLeftAnything() {
        ledger.acknowledge(.insert(key: 1, version: 1))
        ledger.fail(.insert(key: 1, version: 2))
        #expect(ledger.possibilities(forKey: 1) == [.version(1), .version(2), .nothing])
    }

    @Test func aStoreWithLimitsMayLoseButNotBringBack() {
        ledger = Ledger(keys: 0..<2, mayLose: true)
        ledger.acknowledge(.insert(key: 0, version: 1))
        ledger.acknowledge(.insert(key: 0, version: 2))
        #expect(!accepts(.version(1), forKey: 0))
        #expect(accepts(.nothing, forKey: 0))
        #expect(!accepts(.version(2), forKey: 0))
    }

    @Test func ofAnUnknownStoreOnlyWhatWasSeenIsJudged() {
        ledger = Ledger(unknownAllowingLoss: false)
        ledger.intend(.insert(key: 0, version: 9))
        #expect(accepts(.version(5), forKey: 0))
        #expect(!accepts(.version(4), forKey: 0))
        ledger.acknowledge(.insert(key: 1, version: 9))
        #expect(!accepts(.nothing, forKey: 1))
    }

    @Test func whatAnotherLedgerKnowsIsTakenOverForItsKeysOnly() {
        var other = ledger
        other.acknowledge(.insert(key: 0, version: 1))
        other.acknowledge(.insert(key: 1, version: 1))
        ledger.adopt(other, keys: [1])
        #expect(ledger.possibilities(forKey: 0) == [.nothing])
        #expect(ledger.possibilities(forKey: 1) == [.version(1)])
    }

    /// The ledger never refuses a store that does as it is told, and always refuses every
    /// version that was overwritten.
    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func itAgreesWithAModelThatIsKilledAtRandom(seed: UInt64) {
        var generator = SplitMixGenerator(seed: seed)
        var model: [Int: Held] = [:]
        var overwritten: [Int: Set<Int>] = [:]
        for version in 1...2000 {
            let key = Int.random(in: 0..<8, using: &generator)
            let change: StoreChange =
                switch Int.random(in: 0..<10, using: &generator) {
                case ..<7: .insert(key: key, version: version)
                case ..<9: .remove(key: key)
                default: .removeTag(Int.random(in: 0..<Content.ownerCount * Content.tagsPerOwner, using: &generator))
                }
            ledger.intend(change)
            let isKilled = generator.chance(1, in: 10)
            if !isKilled || generator.chance(1, in: 2) {
                for key in 0..<8 {
                    let before = model[key, default: .nothing]
                    let after = change.result(for: key, holding: before)
                    if case .version(let version) = before, before != after { overwritten[key, default: []].insert(version) }
                    model[key] = after
                }
            }
            if !isKilled { ledger.acknowledge(change) }
            guard isKilled else { continue }
            for key in 0..<8 {
                for old in overwritten[key, default: []] {
                    // After a kill in the middle, the ledger still allows the version before.
                    if ledger.possibilities(forKey: key)?.count == 1 {
                        #expect(!accepts(.version(old), forKey: key), "seed \(seed), version \(version)")
                    }
                }
                #expect(accepts(model[key, default: .nothing], forKey: key), "seed \(seed), version \(version)")
            }
        }
        #expect(overwritten.values.contains { $0.count > 50 })
    }
}
