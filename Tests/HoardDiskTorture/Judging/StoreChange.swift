// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A change of a store by one of a campaign's tasks.
enum StoreChange: Hashable, Sendable {
    case insert(key: Int, version: Int)
    case remove(key: Int)
    case removeTag(Int)

    /// The content of a key after the change, if it held `held` before.
    func result(for key: Int, holding held: Held) -> Held {
        switch self {
        case .insert(key, let version): return .version(version)
        case .remove(key): return .nothing
        case .removeTag(let tag):
            guard case .version(let version) = held, Content.tag(key: key, version: version) == tag else { return held }
            return .nothing
        default: return held
        }
    }

    /// Whether the change can affect the key.
    func concerns(_ key: Int) -> Bool {
        switch self {
        case .insert(let changed, _), .remove(let changed): changed == key
        case .removeTag(let tag): Content.owner(ofKey: key) == tag / Content.tagsPerOwner
        }
    }
}

/// The content that a store holds for a key.
enum Held: Hashable, Sendable, CustomStringConvertible {
    case nothing
    case version(Int)

    var description: String {
        switch self {
        case .nothing: "nothing"
        case .version(let version): "version \(version)"
        }
    }
}

extension StoreChange: LosslessStringConvertible {
    var description: String {
        switch self {
        case .insert(let key, let version): "insert \(key) \(version)"
        case .remove(let key): "remove \(key)"
        case .removeTag(let tag): "remove-tag \(tag)"
        }
    }

    init?(_ description: String) {
        let words = description.split(separator: " ")
        let numbers = words.dropFirst().compactMap { Int($0) }
        switch (words.first, numbers.count) {
        case ("insert", 2): self = .insert(key: numbers[0], version: numbers[1])
        case ("remove", 1): self = .remove(key: numbers[0])
        case ("remove-tag", 1): self = .removeTag(numbers[0])
        default: return nil
        }
    }
}
