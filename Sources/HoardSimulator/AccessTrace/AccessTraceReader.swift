// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Reads an access trace in batches of requests; memory does not grow with its length.
///
/// The text has a request per line: a decimal key, which a size may follow (it is not used), as plain text or as gzip.
/// Blank lines and lines that begin with `#` are skipped.
///
/// ```swift
/// let reader = try AccessTraceReader(path: "web07.txt.gz")
/// var requests: [AccessRequest] = []
/// while try reader.readBatch(into: &requests) { … }
/// ```
public final class AccessTraceReader {
    /// What to call the access trace: the name of the file without its directory and without `.txt`, `.gz` or `.txt.gz`.
    public let name: String
    private let source: TextSource
    private let messageName: String
    private var parser = AccessTraceParser()
    private var text: [UInt8]
    private var hasEnded = false
    /// How many requests have been read.
    public private(set) var requestCount = 0

    /// The bytes of the file that have been read; compressed bytes if it is gzip.
    public var bytesRead: Int { source.file.bytesRead }
    /// The bytes of the file; `nil` for a pipe.
    public var byteCount: Int? { source.file.byteCount }

    /// Opens an access trace.
    ///
    /// - Parameter path: A file; `-` is standard input.
    /// - Throws: ``AccessTraceError`` with the code ``AccessTraceError/Code/unreadable``.
    public convenience init(path: String) throws(AccessTraceError) {
        try self.init(path: path, partByteCount: 1 << 16)
    }

    init(path: String, partByteCount: Int) throws(AccessTraceError) {
        self.name = Self.name(ofPath: path)
        self.messageName = path == "-" ? "standard input" : path
        self.source = try TextSource(path: path, name: messageName, partByteCount: partByteCount)
        self.text = Array(repeating: 0, count: partByteCount)
    }

    /// Replaces `requests` with the next ones: one at least, some tens of thousands at most.
    ///
    /// - Returns: Whether there were any; `false` at the end.
    public func readBatch(into requests: inout [AccessRequest]) throws(AccessTraceError) -> Bool {
        requests.removeAll(keepingCapacity: true)
        while requests.isEmpty, !hasEnded {
            let count = try source.read(into: &text, line: parser.line)
            if count == 0 {
                hasEnded = true
                parser.finish(into: &requests)
            } else {
                do {
                    try parser.parse(text[..<count], into: &requests)
                } catch {
                    throw AccessTraceError(.malformedLine, in: messageName, line: error.line, error.fault)
                }
            }
        }
        requestCount += requests.count
        if hasEnded, requestCount == 0 { throw AccessTraceError(.empty, in: messageName, "holds no requests.") }
        return !requests.isEmpty
    }

    static func name(ofPath path: String) -> String {
        var name = path.split(separator: "/").last.map(String.init) ?? path
        for suffix in [".gz", ".txt"] where name.hasSuffix(suffix) && name.count > suffix.count {
            name.removeLast(suffix.count)
        }
        return name
    }
}
