// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

/// Reads the recordings that `CacheTraceRecorder` makes.
struct RecordingDecoder: TraceDecoder {
    private var file = TraceFileDecoder()
    private var window = RecordingWindow()
    private var eventCount = 0

    static func isRecording(_ bytes: [UInt8]) -> Bool { bytes.starts(with: TraceFileHeader.magic) }

    /// The event that is read, or would be next.
    var place: TracePlace { .record(eventCount + 1) }
    var skippedCount: Int { 0 }
    var hasMore: Bool { window.hasReady }
    var sample: (share: Double, lost: Int) {
        (Double(file.header?.sampledKeys ?? TraceFileHeader.allKeys) / Double(TraceFileHeader.allKeys), file.lost)
    }

    mutating func decode(_ bytes: Span<UInt8>, into requests: inout [AccessRequest]) throws(TraceFault) -> Int {
        window.takeReady(atMost: TraceBatch.requestCount - requests.count, into: &requests)
        guard !bytes.isEmpty, !window.hasReady else { return 0 }
        var events: [TraceEvent] = []
        do throws(TraceFileFault) {
            try file.decode(bytes.withUnsafeBufferPointer { Array($0) }) { events.append($0) }
        } catch {
            throw TraceFault(error)
        }
        let tickLength = UInt64(file.header?.tickLength ?? 0)
        for event in events {
            let (microseconds, overflows) = event.tick.multipliedReportingOverflow(by: tickLength)
            window.append(event, time: (overflows ? .max : microseconds) / 1_000)
        }
        eventCount += events.count
        window.takeReady(atMost: TraceBatch.requestCount - requests.count, into: &requests)
        return bytes.count
    }

    mutating func finish(into requests: inout [AccessRequest]) throws(TraceFault) {
        // A recorder that was killed leaves a part of a block. All that was before it has been read.
        guard file.header != nil else { throw TraceFault(TraceFileFault.truncated) }
        window.finish()
        window.takeReady(atMost: TraceBatch.requestCount - requests.count, into: &requests)
    }
}

extension TraceFault {
    fileprivate init(_ fault: TraceFileFault) {
        switch fault {
        case .foreign: self.init("it is no recording.", code: .corrupt)
        case .newerFormat: self.init("a later version of Hoard has recorded it.", code: .corrupt)
        case .truncated: self.init("it ends inside of its header.", code: .truncated)
        case .corrupt: self.init("the recording is damaged.", code: .corrupt)
        }
    }
}
