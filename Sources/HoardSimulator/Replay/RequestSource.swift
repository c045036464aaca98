// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The requests of an access trace, from its beginning.
struct RequestSource {
    /// The name of the access trace.
    let name: String
    /// Replaces requests with the next ones, and says whether there were any.
    let readBatch: (inout [AccessRequest]) throws(AccessTraceError) -> Bool
    /// The bytes of the file that have been read so far.
    let bytesRead: () -> Int

    /// The requests of a file.
    init(_ reader: AccessTraceReader) {
        name = reader.name
        readBatch = { (requests) throws(AccessTraceError) in try reader.readBatch(into: &requests) }
        bytesRead = { reader.bytesRead }
    }

    /// Requests that are in memory already.
    init(name: String, _ requests: [AccessRequest], batchCount: Int = 1 << 15) {
        var rest = requests[...]
        self.name = name
        readBatch = { batch in
            batch = Array(rest.prefix(batchCount))
            rest = rest.dropFirst(batchCount)
            return !batch.isEmpty
        }
        bytesRead = { 0 }
    }
}
