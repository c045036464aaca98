// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension CachingProxy.Configuration {
    /// Where requests are written down.
    public struct AccessLog: Sendable, Hashable {
        /// The form of a line.
        public struct Format: RawRepresentable, Sendable, Hashable, CaseIterable {
            enum Base: String, CaseIterable, Sendable {
                case combined, json
            }
            let base: Base
            private init(_ base: Base) { self.base = base }

            /// The combined format of Apache and nginx, with the cache's status and the times behind it.
            public static var combined: Self { .init(.combined) }
            /// A JSON object on each line.
            public static var json: Self { .init(.json) }

            /// All of them.
            public static var allCases: [Self] { Base.allCases.map(Self.init) }

            /// The format of that name in settings; `nil` if there is none.
            public init?(rawValue: String) {
                guard let base = Base(rawValue: rawValue) else { return nil }
                self.base = base
            }

            /// The name in settings.
            public var rawValue: String { base.rawValue }
        }

        /// A file, which is appended to and opened anew on SIGHUP; `-` for standard output.
        public var path: String
        /// How a request is written down.
        public var format = Format.combined

        /// Creates a log in the combined format.
        public init(path: String) {
            self.path = path
        }
    }
}
