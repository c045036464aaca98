// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardNIO
import Synchronization

/// The codes of errors that handlers saw.
final class Codes: Sendable {
    private let codes = Mutex<[RequestBodyError.Code]>([])

    var all: [RequestBodyError.Code] { codes.withLock { $0 } }

    func append(_ code: RequestBodyError.Code) {
        codes.withLock { $0.append(code) }
    }
}
