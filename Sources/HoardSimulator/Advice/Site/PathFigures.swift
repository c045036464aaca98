// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The figures of the requests below a path, from an access log.
struct PathFigures: Sendable {
    /// Requests with GET or HEAD.
    var requests = 0
    /// The bytes of whole objects that clients were sent.
    var sentBytes = 0
    /// Answers of the cache, of any age.
    var hits = 0
    /// Requests that reached the origin.
    var loads = 0
    /// Of these, how many the cache had not been asked for.
    var passes = 0
    /// The bytes that were sent for loads.
    var loadedBytes = 0
    /// The time that loads took.
    var loadMicroseconds = 0
    /// Hits with an object that was no longer fresh, and requests that waited for another one's load.
    var staleHits = 0
    var collapsedHits = 0
    /// Loads of an object that was being loaded at that time.
    var overlappingLoads = 0
    /// Requests for which something had been loaded or confirmed before, by how long ago that was.
    var ages = AgeHistogram()

    /// Answers 304 to clients.
    var notModified = 0
    /// Answers 200 to a client that had been sent the same number of bytes for the same object before.
    var repeatedAnswers = 0
    var repeatedBytes = 0
    /// Failures of the server for objects that it had answered well before.
    var failures = 0

    /// Different objects, those of them that were asked for again, and their bytes.
    var objects = 0
    var repeatedObjects = 0
    var objectBytes = 0

    mutating func add(_ other: Self) {
        requests += other.requests
        sentBytes = sentBytes.adding(other.sentBytes)
        hits += other.hits
        loads += other.loads
        passes += other.passes
        loadedBytes = loadedBytes.adding(other.loadedBytes)
        loadMicroseconds = loadMicroseconds.adding(other.loadMicroseconds)
        staleHits += other.staleHits
        collapsedHits += other.collapsedHits
        overlappingLoads += other.overlappingLoads
        ages.add(other.ages)
        notModified += other.notModified
        repeatedAnswers += other.repeatedAnswers
        repeatedBytes = repeatedBytes.adding(other.repeatedBytes)
        failures += other.failures
        objects += other.objects
        repeatedObjects += other.repeatedObjects
        objectBytes = objectBytes.adding(other.objectBytes)
    }
}
