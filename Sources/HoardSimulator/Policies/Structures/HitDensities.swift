// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The number of times that objects of each class were hit and evicted at each age, and the hit densities that follow.
struct HitDensities: Sendable {
    /// The ages that are told apart; older objects have the greatest.
    static let ageCount = 20_000
    static let classCount = 16
    /// The share of the ages that a typical object's stay may be mistaken by.
    private static let tolerance = 0.01

    private struct Class {
        var hits = Array(repeating: 0.0, count: HitDensities.ageCount)
        var evictions = Array(repeating: 0.0, count: HitDensities.ageCount)
        var densities: [Double]
    }

    private var classes: [Class]
    /// How many requests one step of age is, as a power of two.
    private var shift = 10
    private var objectSum = 0.0
    private var objectWeight = 0.0

    init() {
        // Nearly GDSF until something is known.
        classes = (1...Self.classCount).map { number in Class(densities: (1...Self.ageCount).map { Double(number) / Double($0) }) }
    }

    func age(of object: LHDObject, time: Int) -> Int { min(Self.ageCount - 1, (time - object.time) >> shift) }

    /// The class of an object: about how often its ages at the last two hits can be doubled.
    private func number(of object: LHDObject) -> Int {
        var ages = object.lastAge + object.ageBefore
        guard ages > 0 else { return Self.classCount - 1 }
        var number = 0
        while ages < Self.ageCount, number < Self.classCount - 1 {
            ages <<= 1
            number += 1
        }
        return number
    }

    /// The hit density for each byte. An object that is older than all ages leaves first.
    func density(of object: LHDObject, time: Int) -> Double {
        let age = age(of: object, time: time)
        guard age < Self.ageCount - 1 else { return -.greatestFiniteMagnitude }
        return classes[number(of: object)].densities[age] / Double(object.size) + (object.isExplorer ? 1 : 0)
    }

    mutating func noteHit(_ object: LHDObject, time: Int) {
        classes[number(of: object)].hits[age(of: object, time: time)] += 1
    }

    mutating func noteEviction(_ object: LHDObject, time: Int) {
        classes[number(of: object)].evictions[age(of: object, time: time)] += 1
    }

    /// Computes the densities anew and lets the counts fade.
    mutating func learn(objectCount: Int, learnings: Int, decay: Double) {
        for number in classes.indices {
            for age in 0..<Self.ageCount {
                classes[number].hits[age] *= decay
                classes[number].evictions[age] *= decay
            }
        }
        objectSum = objectSum * decay + Double(objectCount)
        objectWeight = objectWeight * decay + 1
        if learnings == 5 || learnings == 25 { setScale(objectCount: objectSum / objectWeight) }
        for number in classes.indices { Self.model(&classes[number]) }
    }

    /// Goes from the greatest age down: an object of an age has the later hits before it, and stays for the sum of later events.
    private static func model(_ numbers: inout Class) {
        var (hits, events, stay) = (0.0, 0.0, 0.0)
        for age in (0..<ageCount).reversed() {
            hits += numbers.hits[age]
            events += numbers.hits[age] + numbers.evictions[age]
            stay += events
            if age < ageCount - 1 { numbers.densities[age] = events > 1e-5 ? hits / stay : 0 }
        }
    }

    /// Chooses how many requests a step of age is, and moves the counts to the new ages.
    private mutating func setScale(objectCount: Double) {
        var new = 1
        while Double(1 << new) < objectCount / (Self.tolerance * Double(Self.ageCount)) { new += 1 }
        for number in classes.indices {
            classes[number].hits = Self.rescale(classes[number].hits, by: new - shift)
            classes[number].evictions = Self.rescale(classes[number].evictions, by: new - shift)
        }
        shift = new
    }

    /// Counts by ages that are `2 ** steps` times as coarse.
    private static func rescale(_ counts: [Double], by steps: Int) -> [Double] {
        guard steps != 0 else { return counts }
        var new = Array(repeating: 0.0, count: counts.count)
        for (age, count) in counts.enumerated() where count > 0 {
            if steps > 0 {
                new[age == counts.count - 1 ? age : age >> steps] += count
            } else {
                for part in 0..<(1 << -steps) { new[min(counts.count - 1, age << -steps + part)] += count / Double(1 << -steps) }
            }
        }
        return new
    }
}
