// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Reads an access trace in batches of requests; memory does not grow with its length.
///
/// ``AccessTraceFormat`` says which formats there are. The file may be compressed with gzip or, where the
/// trait `Zstandard` brings it, zstd. Both are found out from the first bytes.
///
/// ```swift
/// let reader = try AccessTraceReader(path: "web07.txt.gz")
/// var requests: [AccessRequest] = []
/// while try reader.readBatch(into: &requests) { … }
/// ```
public final class AccessTraceReader {
    /// The name of the access trace: that of the file without its directory and without `.txt`, `.gz` or `.zst`.
    public let name: String
    /// The format; `nil` until the first bytes have been read, unless it was given.
    public private(set) var format: AccessTraceFormat?
    /// The number of requests that have been read.
    public private(set) var requestCount = 0

    private let path: String
    private let messageName: String
    private let source: TextSource
    private var decoder: (any TraceDecoder)?
    private let rules: TraceRules
    private let profile: SiteProfile?
    /// Bytes that were read; those before ``textStart`` are done with.
    private var text: [UInt8]
    private var textStart = 0
    private var textEnd = 0
    private var hasFinished = false
    private var hasEnded = false

    /// The bytes of the file that have been read; compressed bytes if it is compressed.
    public var bytesRead: Int { source.file.bytesRead }
    /// The bytes of the file; `nil` for a pipe.
    public var byteCount: Int? { source.file.byteCount }
    /// The number of skipped lines that are no request to simulate, such as writes, and requests of scanners to a web server. Lines of an access log
    /// that do not fit the format are among them.
    public var skippedCount: Int { decoder?.skippedCount ?? 0 }

    /// The share of the keys that a recording has, from 0 to 1; 1 for other formats. A replay needs the same share of the capacity.
    public var sampledShare: Double { decoder?.sample.share ?? 1 }
    /// The number of accesses that a recorder has lost, because memory or the disk was full.
    public var lostCount: Int { decoder?.sample.lost ?? 0 }

    /// Opens an access trace.
    ///
    /// - Parameters:
    ///   - path: A file; `-` is standard input.
    ///   - format: The format; `nil` if it shall be found out.
    ///   - rules: Rules that the cache shall have had.
    /// - Throws: ``AccessTraceError`` with the code ``AccessTraceError/Code/unreadable``.
    public convenience init(path: String, format: AccessTraceFormat? = nil, rules: TraceRules = TraceRules()) throws(AccessTraceError) {
        try self.init(path: path, format: format, rules: rules, partByteCount: 1 << 16)
    }

    /// - Parameter profile: Told of each line, if the access trace is an access log.
    init(
        path: String,
        format: AccessTraceFormat? = nil,
        rules: TraceRules = TraceRules(),
        profile: SiteProfile? = nil,
        partByteCount: Int = 1 << 16
    ) throws(AccessTraceError) {
        self.rules = rules
        self.profile = profile
        self.name = Self.name(ofPath: path)
        self.format = format
        self.path = path
        self.messageName = path == "-" ? "standard input" : path
        self.source = try TextSource(path: path, name: messageName, partByteCount: partByteCount)
        self.text = Array(repeating: 0, count: partByteCount)
    }

    /// Replaces `requests` with the next ones: one at least, some tens of thousands at most.
    ///
    /// - Returns: Whether there were any; `false` at the end.
    public func readBatch(into requests: inout [AccessRequest]) throws(AccessTraceError) -> Bool {
        requests.removeAll(keepingCapacity: true)
        var decoder = if let decoder = self.decoder { decoder } else { try start() }
        // It is in one place only, so that its memory is not copied.
        self.decoder = nil
        defer { self.decoder = decoder }
        while requests.isEmpty, !hasEnded {
            if textStart == textEnd, !decoder.hasMore, !hasFinished {
                textStart = 0
                textEnd = try source.read(into: &text, at: decoder.place)
            }
            do throws(TraceFault) {
                if textStart < textEnd || decoder.hasMore {
                    let range = textStart..<textEnd
                    textStart += try text.withSpan { (text) throws(TraceFault) in try decoder.decode(text.extracting(range), into: &requests) }
                } else if hasFinished {
                    hasEnded = true
                } else {
                    try decoder.finish(into: &requests)
                    hasFinished = true
                }
            } catch {
                throw AccessTraceError(error.code, in: messageName, at: decoder.place, error.message)
            }
        }
        requestCount += requests.count
        if let lifetime = rules.lifetimes["/"], format?.hasTargets == false {
            for index in requests.indices { requests[index].lifetime = lifetime }
        }
        if hasEnded, requestCount == 0 { throw AccessTraceError(.empty, in: messageName, emptiness(skipped: decoder.skippedCount)) }
        return !requests.isEmpty
    }

    /// Makes the decoder, for which the first bytes may have to be read.
    private func start() throws(AccessTraceError) -> any TraceDecoder {
        if let format { return try makeDecoder(format) }
        var beginning: [UInt8] = []
        while !TraceDetector.isEnough(beginning) {
            let count = try source.read(into: &text, at: .line(1))
            if count == 0 { break }
            beginning += text[..<count]
        }
        let format = TraceDetector.format(of: beginning, path: path)
        self.format = format
        if beginning.count > text.count { text = beginning } else { text.replaceSubrange(..<beginning.count, with: beginning) }
        textEnd = beginning.count
        return try makeDecoder(format)
    }

    private func makeDecoder(_ format: AccessTraceFormat) throws(AccessTraceError) -> any TraceDecoder {
        guard format.hasTargets || !rules.needTargets else {
            throw AccessTraceError(.withoutTargets, in: messageName, "has no paths and queries, for which there are rules; only access logs do.")
        }
        return format.makeDecoder(reading: rules.isEmpty && profile == nil ? nil : LogReading(rules: rules, profile: profile))
    }

    private func emptiness(skipped: Int) -> String {
        skipped == 0 ? "holds no requests." : "holds no requests to simulate; lines that were skipped: \(skipped)."
    }

    static func name(ofPath path: String) -> String {
        var name = path.split(separator: "/").last.map(String.init) ?? path
        for suffix in [".gz", ".zst", ".txt"] where name.hasSuffix(suffix) && name.count > suffix.count {
            name.removeLast(suffix.count)
        }
        return name
    }
}
