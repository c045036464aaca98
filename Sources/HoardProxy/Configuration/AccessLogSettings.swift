// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension CachingProxy.Configuration {
    /// Where requests are written down.
    public struct AccessLog: Sendable, Hashable {
        public enum Format: String, Sendable, Hashable, CaseIterable {
            /// The combined format of Apache and nginx, with the cache's status and the times behind it.
            case combined
            /// An object on each line.
            case json
        }

        /// A file, which is appended to and opened anew on SIGHUP; `-` for standard output.
        public var path: String
        public var format = Format.combined

        public init(path: String) {
            self.path = path
        }
    }
}
