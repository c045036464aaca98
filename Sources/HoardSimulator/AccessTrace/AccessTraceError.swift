// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Why an access trace could not be read.
///
/// Compare ``code``; its set can grow without breaking code that matches on it. The description is one sentence for a person;
/// it names the file and, where there is one, the line.
public struct AccessTraceError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, by kind.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The file is not there, or may not be read.
        public static var unreadable: Self { Self(description: #function) }
        /// A line is not a decimal key that may be followed by a size.
        public static var malformedLine: Self { Self(description: #function) }
        /// The gzip data ends before its end mark.
        public static var truncated: Self { Self(description: #function) }
        /// The gzip data is damaged.
        public static var corrupt: Self { Self(description: #function) }
        /// There is no request in the trace.
        public static var empty: Self { Self(description: #function) }
        /// There are more requests than can be held at once.
        public static var tooLong: Self { Self(description: #function) }
    }

    public let code: Code
    /// The line that could not be read, counted from 1; `nil` if the fault is not in a line.
    public let line: Int?
    /// One sentence a person can act on.
    public let message: String

    init(_ code: Code, in name: String, line: Int? = nil, _ fault: String) {
        self.code = code
        self.line = line
        self.message = line.map { "\(name), line \($0): \(fault)" } ?? "\(name): \(fault)"
    }

    public var description: String { message }
}
