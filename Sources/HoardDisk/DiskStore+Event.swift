// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension DiskStore {
    /// An event of a store that is worth logging.
    ///
    /// Compare ``kind``; its set can grow. The message is one sentence without keys, values or tags.
    public struct Event: Sendable, Hashable, CustomStringConvertible {
        /// The kind of an event.
        public struct Kind: Hashable, Sendable, CustomStringConvertible {
            public let description: String

            /// The database was damaged. The store moved it aside and uses a new one.
            public static var databaseSetAside: Self { Self(description: #function) }
            /// A record failed its checksum and was removed.
            public static var recordDamaged: Self { Self(description: #function) }
            /// A write failed because the disk is full. Reported once until a write succeeds.
            public static var diskFull: Self { Self(description: #function) }
            /// A write succeeded for the first time since the disk was full.
            public static var diskRecovered: Self { Self(description: #function) }

            /// Apple's systems refused to protect the directory, or to leave it out of backups. The store works nevertheless.
            public static var directoryNotProtected: Self { Self(description: #function) }

            /// A write that no caller waited for has failed. Its key is a miss.
            public static var writeLost: Self { Self(description: #function) }
        }

        /// The kind of event.
        public let kind: Kind
        /// A readable sentence.
        public let message: String
        /// The file that the event is about: for ``Kind/databaseSetAside``, the new path of the damaged database.
        public let path: String?

        init(_ kind: Kind, _ message: String, path: String? = nil) {
            self.kind = kind
            self.message = message
            self.path = path
        }

        public var description: String { message }
    }
}

extension DiskStore.Event {
    static func databaseSetAside(path: String) -> Self {
        Self(.databaseSetAside, "The cache database was damaged; it was moved to \(path) and a new one was created.", path: path)
    }

    static var recordDamaged: Self { Self(.recordDamaged, "A record failed its checksum and was removed.") }
    static var writeLost: Self { Self(.writeLost, "A write behind failed; its key is a miss until it is written again.") }
    static var diskFull: Self { Self(.diskFull, "A write failed because the disk is full; the store goes on serving reads.") }
    static var diskRecovered: Self { Self(.diskRecovered, "The store can write again after the disk was full.") }
}
