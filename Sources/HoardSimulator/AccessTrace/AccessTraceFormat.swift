// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A form in which access traces are written.
///
/// A reader finds it out from the first bytes, so that it is seldom named. The formats of block storage,
/// ``arc`` and ``lirs``, are numbers like ``text``: they are known by the name of the file, `.arc` or `.lis`
/// and `.lirs` or `.trc`, or have to be named.
public struct AccessTraceFormat: Hashable, Sendable, CustomStringConvertible {
    enum Base: String, CaseIterable, Hashable, Sendable {
        case text
        case accessLog = "access-log"
        case jsonLog = "json-log"
        case libCacheSimCSV = "libcachesim-csv"
        case oracleGeneral = "oracle-general"
        case arc, lirs, twitter
        case cacheLib = "cachelib"
        case cacheLibCDN = "cachelib-cdn"
        case recording
    }
    let base: Base

    /// Lines of a decimal key, which a size in bytes may follow. Blank lines and lines that begin with `#` are skipped.
    public static var text: Self { Self(base: .text) }
    /// The access log of a web server, in the common or the combined format: of nginx, Apache, Hoard and others.
    ///
    /// A request is a line of GET or HEAD, which share a key, with a status that caches store: 200, 203, 204, 206, 300, 301, 304, 308, 404, 405, 410,
    /// 414 or 501. They are those of RFC 9110, section 15.1, and 304, with which a client was told to use its copy. The key is a hash of the host, if
    /// there is one, and the target with its query. The bytes of the body are the size; for HEAD, 206 and 304, which tell no size, it is the last
    /// known one of the key, if one of 262,144 keys of late. After the user agent, the first word that is a status of a cache, such as `HIT`, says
    /// whether the request was a hit. The first number with a decimal point is the seconds that it took, which are the cost unless it was a hit. The
    /// group is a hash of the first part of the path. Times count from the first request; servers write lines when answers end, so that they may go
    /// back a little. Other lines are skipped, and counted, whether they fit the format or not.
    public static var accessLog: Self { Self(base: .accessLog) }
    /// An access log of a JSON object per line: of Caddy, Hoard, or nginx with its usual names. The same lines count as
    /// requests as in ``accessLog``.
    public static var jsonLog: Self { Self(base: .jsonLog) }
    /// Comma-separated values as libCacheSim reads them. Without a line of names: time in seconds, object,
    /// size. With one: columns named like these, and a time to live.
    public static var libCacheSimCSV: Self { Self(base: .libCacheSimCSV) }
    /// libCacheSim's binary format: records of 24 bytes in little-endian order, which hold seconds (4),
    /// object (8), size (4) and the place of its next use (8, not read).
    public static var oracleGeneral: Self { Self(base: .oracleGeneral) }
    /// The format of ARC's access traces (FAST 2003): lines of a first block, a number of blocks, and two
    /// numbers that are not read. Each block is a request.
    public static var arc: Self { Self(base: .arc) }
    /// The format of LIRS's access traces (SIGMETRICS 2002): a block per line. Lines of `*` are skipped.
    public static var lirs: Self { Self(base: .lirs) }
    /// The comma-separated values that Twitter published (OSDI 2020): seconds, key, bytes of the key, bytes
    /// of the value, client, operation, time to live.
    ///
    /// Requests are the operations get and gets. The lifetime of a key is the time to live of its last write,
    /// if it is one of 1,048,576 keys of late; a read before the first write has none. A value of no bytes
    /// was not there: its size is the last known one.
    public static var twitter: Self { Self(base: .twitter) }
    /// The comma-separated values of key-value caches that Meta published for CacheLib, of all releases.
    ///
    /// Requests are the operations GET and GET_LEASE, as often as the column `op_count` says, which is up to
    /// 1,000,000,000 times. Sizes and lifetimes are as in ``twitter``, and the group is the column `usecase`.
    public static var cacheLib: Self { Self(base: .cacheLib) }
    /// The comma-separated values of caches for web content that Meta published for CacheLib.
    ///
    /// Each line with the operation 1 is a request for a whole object, also if a part of it was asked for. The size is
    /// the column `objectSize`, or else `responseSize`; where neither tells it, it is the last known one of the key.
    /// Lifetimes are the column `TTL`, the group is the column `cdn_content_type_id`, and `cache_hit` says whether the
    /// request was a hit.
    public static var cacheLibCDN: Self { Self(base: .cacheLibCDN) }

    /// The recordings that `CacheTraceRecorder` and `hoard proxy --record-trace` make: see `docs/traces.md`.
    ///
    /// A miss and the write that it led to are one request. Writes without a miss and removals are changes, which count as no requests. A recording
    /// that was cut short, as by a crash, is read as far as it goes.
    public static var recording: Self { Self(base: .recording) }

    /// All formats, in the order in which they are shown.
    public static var all: [AccessTraceFormat] { Base.allCases.map(Self.init) }

    private init(base: Base) {
        self.base = base
    }

    /// The format of that name; `nil` if there is none.
    public init?(name: String) {
        guard let base = Base(rawValue: name.lowercased()) else { return nil }
        self.base = base
    }

    /// The name, in lower case.
    public var name: String { base.rawValue }

    public var description: String { name }

    /// Whether the targets of requests are known.
    var hasTargets: Bool { base == .accessLog || base == .jsonLog }

    /// A decoder at the beginning of an access trace.
    ///
    /// - Parameter reading: Looks closer at the lines of a log. Other formats do not use it.
    func makeDecoder(reading: LogReading? = nil) -> any TraceDecoder {
        switch base {
        case .text: LineDecoder(TextFormat())
        case .accessLog: LineDecoder(AccessLogFormat(reading: reading))
        case .jsonLog: LineDecoder(JSONLogFormat(reading: reading))
        case .libCacheSimCSV: LineDecoder(LibCacheSimFormat())
        case .oracleGeneral: OracleGeneralDecoder()
        case .arc: LineDecoder(ARCFormat())
        case .lirs: LineDecoder(LIRSFormat())
        case .twitter: LineDecoder(TwitterFormat())
        case .cacheLib: LineDecoder(CacheLibFormat())
        case .cacheLibCDN: LineDecoder(CacheLibCDNFormat())
        case .recording: RecordingDecoder()
        }
    }
}
