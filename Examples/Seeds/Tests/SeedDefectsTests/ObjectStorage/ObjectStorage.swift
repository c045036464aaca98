// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

/// The object that is stored.
struct Note: Codable, Cachable, Hashable {
    var text: String
}

/// The storage of “Write Our Own Cache”: objects by key, in memory and on a disk, with completion handlers.
protocol ObjectStorage: Sendable {
    /// - Parameter completion: Learns whether the object is on the disk.
    func store(_ object: Note, forKey key: String, completion: @escaping @Sendable (Bool) -> Void)

    /// - Parameter completion: Gets the object; `nil` if there is none.
    func retrieve(_ key: String, completion: @escaping @Sendable ((any Sendable)?) -> Void)
}

/// Makes a storage with an empty memory over a disk.
typealias MakeObjectStorage = (_ disk: any RecordStore) -> any ObjectStorage
