// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension ProxyStatistics {
    /// The figures at one moment. The admin interface sends it as JSON. Times are seconds, latencies microseconds,
    /// sizes bytes.
    package struct Snapshot: Sendable, Hashable, Codable {
        /// Seconds since 1970.
        package var time: Double
        package var uptimeSeconds: Double
        package var version: String
        package var requests: Requests
        package var bytes: Bytes
        package var latency: Latencies
        package var memory: Space?
        package var disk: Space?
        /// The tier that other proxies use too; `nil` if there is none.
        package var shared: SharedTier?
        package var process: Process
        package var evictions: Evictions?
        package var connections: Connections?
        package var origins: [OriginGroup]?
        /// The last 15 minutes in windows of 5 seconds, the oldest first. The last window is still open: its `seconds` and counts grow.
        package var history: [Point]
        /// The last 24 hours in windows of 5 minutes, in the same way. `nil` in events.
        package var longHistory: [Point]?
        /// The hottest URLs of the last 5 to 10 minutes. Where many requests come, the numbers are estimates from a sample.
        package var hottest: [HotURL]
        /// The largest of the objects that were asked for in the last hour or two.
        package var largest: [LargeEntry]
        package var missRatioCurve: MissRatioCurve?
        package var accessLog: AccessLogCounts?
        package var traces: TraceCounts?
        /// The requests on routes that name a site; `nil`: none does.
        package var sites: [Site]?
        /// The last warm-up; `nil`: there has been none.
        package var warmUp: WarmUp?
        /// `nil`: nothing is recorded.
        package var recording: Recording?
        /// `nil`: no caches are simulated.
        package var shadows: Shadows?

        /// The same with nothing but the open window of the history, for readers that have got the rest already.
        package func withNewestHistory() -> Snapshot {
            var copy = self
            copy.history = history.suffix(1)
            copy.longHistory = nil
            return copy
        }
    }
}

extension ProxyStatistics.Snapshot {
    package struct Requests: Sendable, Hashable, Codable {
        package var total: Int
        /// By the names of `AnswerReport.Outcome`.
        package var byOutcome: [String: Int]
        /// By class: `1xx` to `5xx`.
        package var byStatus: [String: Int]
        /// Requests that were refused before the proxy had anything to do with them. They are in the total, and have no outcome.
        package var refused: Int
    }

    /// Content sent to clients.
    package struct Bytes: Sendable, Hashable, Codable {
        package var served: Int
        /// The bytes that the origin sent for the requests that were answered with them.
        package var fromOrigin: Int
        /// The bytes that the origin did not have to send.
        package var saved: Int
    }

    /// From the head of the request to the first byte of the response, by the tier that was waited for: the origin, if it was asked for anything, else the one that
    /// had the content. `none`: answers that the proxy made up, and refusals.
    package struct Latencies: Sendable, Hashable, Codable {
        package var memory: Percentiles
        package var store: Percentiles
        package var origin: Percentiles
        package var none: Percentiles
    }

    /// Off by 1/64 (1.6 %) at most; `max` is exact.
    package struct Percentiles: Sendable, Hashable, Codable {
        package var count: Int
        package var p50: Double
        package var p90: Double
        package var p99: Double
        package var p999: Double
        package var max: Double
    }

    package struct Space: Sendable, Hashable, Codable {
        package var bytes: Int
        package var limit: Int?
        package var entries: Int

        package init(bytes: Int, limit: Int?, entries: Int) {
            self.bytes = bytes
            self.limit = limit
            self.entries = entries
        }
    }

    /// A store that other proxies use too.
    package struct SharedTier: Sendable, Hashable, Codable {
        package enum State: String, Sendable, Hashable, Codable {
            case sound
            /// It is used, but has still to be told of the changes that it has missed.
            case recovering
            /// It does not answer. The proxy goes on without it.
            case unreachable
        }
        /// That of the store, such as `redis`.
        package var name: String
        package var state: State
        /// The space that the entries of all proxies together take. `nil`: the store does not tell.
        package var space: Space?
        /// Reads of this proxy that found something.
        package var hits: Int?
        package var misses: Int?
        /// The operations for this proxy that failed or were not done in time.
        package var failures: Int
        /// Removals that it has still to be told of.
        package var pendingInvalidations: Int

        package init(
            name: String,
            state: State,
            space: Space? = nil,
            hits: Int? = nil,
            misses: Int? = nil,
            failures: Int = 0,
            pendingInvalidations: Int = 0
        ) {
            self.name = name
            self.state = state
            self.space = space
            self.hits = hits
            self.misses = misses
            self.failures = failures
            self.pendingInvalidations = pendingInvalidations
        }
    }

    package struct Process: Sendable, Hashable, Codable {
        package var residentBytes: Int?
        package var openFiles: Int?
    }

    /// Entries that have left, by the reason.
    package struct Evictions: Sendable, Hashable, Codable {
        package struct Causes: Sendable, Hashable, Codable {
            package var capacity: Int
            package var expired: Int
            package var removed: Int?
            package var replaced: Int?

            package init(capacity: Int, expired: Int, removed: Int? = nil, replaced: Int? = nil) {
                self.capacity = capacity
                self.expired = expired
                self.removed = removed
                self.replaced = replaced
            }
        }
        package var memory: Causes?
        package var disk: Causes?

        package init(memory: Causes?, disk: Causes? = nil) {
            self.memory = memory
            self.disk = disk
        }
    }

    package struct Connections: Sendable, Hashable, Codable {
        package var open: Int
        package var limit: Int?
        package var accepted: Int?
        package var webSockets: WebSockets?

        package struct WebSockets: Sendable, Hashable, Codable {
            package var open: Int
            /// Since the start.
            package var opened: Int

            package init(open: Int, opened: Int) {
                self.open = open
                self.opened = opened
            }
        }

        package init(open: Int, limit: Int? = nil, accepted: Int? = nil, webSockets: WebSockets? = nil) {
            self.open = open
            self.limit = limit
            self.accepted = accepted
            self.webSockets = webSockets
        }
    }

    package struct OriginGroup: Sendable, Hashable, Codable {
        package struct Server: Sendable, Hashable, Codable {
            package var url: String
            package var state: String
            package var requests: Int
            package var failures: Int
            package var inProgress: Int
            package var connections: Int
            package var meanResponseMilliseconds: Double?

            package init(
                url: String,
                state: String,
                requests: Int = 0,
                failures: Int = 0,
                inProgress: Int = 0,
                connections: Int = 0,
                meanResponseMilliseconds: Double? = nil
            ) {
                self.url = url
                self.state = state
                self.requests = requests
                self.failures = failures
                self.inProgress = inProgress
                self.connections = connections
                self.meanResponseMilliseconds = meanResponseMilliseconds
            }
        }
        package var name: String
        package var servers: [Server]

        package init(name: String, servers: [Server]) {
            self.name = name
            self.servers = servers
        }
    }

    /// The traffic in a window of time.
    package struct Point: Sendable, Hashable, Codable {
        /// When the window began, in seconds since 1970.
        package var time: Double
        package var seconds: Double
        package var requests: Int
        package var hits: Int
        package var bytes: Int
        package var bytesFromOrigin: Int
        package var p50: Double
        package var p99: Double
        package var errors: Int
    }

    package struct HotURL: Sendable, Hashable, Codable {
        package var uri: String
        package var requests: Int
        package var bytes: Int
    }

    package struct LargeEntry: Sendable, Hashable, Codable {
        package var uri: String
        package var bytes: Int

        package init(uri: String, bytes: Int) {
            self.uri = uri
            self.bytes = bytes
        }
    }

    /// The share of the requests using the cache that a cache of another size would miss, by the requests of the last day.
    ///
    /// It is computed for a cache that evicts the least recently used, by ``ReuseDistanceSampler``. Misses that no size would spare, because the stored response was
    /// stale, are misses at all sizes; requests for responses that cannot be stored do not count.
    package struct MissRatioCurve: Sendable, Hashable, Codable {
        package struct Point: Sendable, Hashable, Codable {
            package var bytes: Int
            package var missRatio: Double
        }
        /// The share of all objects that is watched.
        package var sampleRate: Double
        package var sampledRequests: Int
        package var points: [Point]
        /// The size the cache has.
        package var currentBytes: Int
        /// The measured miss ratio at that size.
        package var currentMissRatio: Double
    }

    /// Lines of the access log.
    package struct AccessLogCounts: Sendable, Hashable, Codable {
        package var written: Int
        /// Requests that came faster than they could be written down.
        package var dropped: Int
        /// Lines that could not be written.
        package var lost: Int
    }

    /// The requests on the routes of one site.
    package struct Site: Sendable, Hashable, Codable {
        package var name: String
        package var requests: Int
        package var hits: Int
        /// Failures, and responses with a status of 500 or more.
        package var errors: Int
        package var bytesServed: Int
        /// Those of them that the origin did not have to send.
        package var bytesSaved: Int
    }

    /// URLs that the proxy asked itself for.
    package struct WarmUp: Sendable, Hashable, Codable {
        package var isRunning: Bool
        /// How many there are; `nil` while sitemaps are read.
        package var total: Int?
        package var urls: Int
        package var stored: Int
        /// URLs and sitemaps.
        package var failed: Int
    }

    /// Spans for the collector of traces.
    package struct TraceCounts: Sendable, Hashable, Codable {
        package var sent: Int
        /// Spans that came faster than they could be sent.
        package var dropped: Int
        /// Spans that the collector did not take.
        package var failed: Int
    }
}
