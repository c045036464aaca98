// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import NIOCore
import Synchronization

/// A request as it was handed on.
struct FuzzedRequest: Equatable, Sendable {
    var method: String
    var authority: String?
    var path: String?
    var fields: HTTPFields
    /// `nil` if it did not come to its end.
    var content: ByteBuffer?
}

extension FuzzedRequest {
    init(_ head: HTTPRequest, content: ByteBuffer? = nil) {
        self.init(method: head.method.rawValue, authority: head.authority, path: head.path, fields: head.headerFields, content: content)
    }
}

/// The requests in the order in which they were handed on.
final class FuzzedRequestLog: Sendable {
    let requests = Mutex<[FuzzedRequest]>([])

    /// - Returns: Its index in the log.
    func add(_ request: FuzzedRequest) -> Int {
        requests.withLock { requests in
            requests.append(request)
            return requests.count - 1
        }
    }
}
