// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The operation that the writer of a key in a shared store does in a step, and the content that readers may see.
enum SharedStep {
    case insert
    case remove
    case removeTag

    /// One step in four is a removal.
    init(_ step: Int) {
        switch step % 8 {
        case 3: self = .remove
        case 7: self = .removeTag
        default: self = .insert
        }
    }

    /// Whether a read may find this content. It began after the step `acknowledged` had returned, and ended
    /// before any step after `intended` began.
    static func allows(_ held: Held, from acknowledged: Int, through intended: Int, mayLose: Bool) -> Bool {
        guard acknowledged <= intended else { return false }
        switch held {
        case .version(let step):
            return (acknowledged...intended).contains(step) && step > 0 && SharedStep(step) == .insert
        case .nothing:
            // A removal is never more than eight steps away.
            return mayLose || (acknowledged...min(intended, acknowledged + 8)).contains { $0 == 0 || SharedStep($0) != .insert }
        }
    }

    /// The tag that only this key's records have.
    static func tag(key: Int) -> String { "key \(key)" }
}
