// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The reason why an access trace could not be read.
///
/// Compare ``code``; its set can grow without breaking code that matches on it. The description is one
/// sentence for a person; it names the file and, where there is one, the line or the binary record.
public struct AccessTraceError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The file is not there, or may not be read.
        public static var unreadable: Self { Self(description: #function) }
        /// A line is not as the format of the access trace has it.
        public static var malformedLine: Self { Self(description: #function) }
        /// Compressed data ends before its end mark, or the last binary record has too few bytes.
        public static var truncated: Self { Self(description: #function) }
        /// Compressed data is damaged.
        public static var corrupt: Self { Self(description: #function) }
        /// The data is compressed in a way that this build cannot undo.
        public static var unsupportedCompression: Self { Self(description: #function) }
        /// The format has no targets of requests, which rules need.
        public static var withoutTargets: Self { Self(description: #function) }
        /// There is no request in the trace.
        public static var empty: Self { Self(description: #function) }
        /// There are more requests than can be held at once.
        public static var tooLong: Self { Self(description: #function) }
    }

    /// The kind of error.
    public let code: Code
    /// The line that could not be read, counted from 1; `nil` if the fault is not in a line.
    public let line: Int?
    /// One sentence a person can act on.
    public let message: String

    init(_ code: Code, in name: String, at place: TracePlace? = nil, _ fault: String) {
        self.code = code
        switch place {
        case .line(let line):
            self.line = line
            self.message = "\(name), line \(line): \(fault)"
        case .record(let record):
            self.line = nil
            self.message = "\(name), record \(record): \(fault)"
        case nil:
            self.line = nil
            self.message = "\(name): \(fault)"
        }
    }

    public var description: String { message }
}
