// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Logging

extension Logger {
    /// A logger that logs nothing.
    static var silent: Logger { Logger(label: "hoard.views") { _ in SwiftLogNoOpLogHandler() } }

    /// Logs an event of a store. The texts hold no keys and no values.
    func log(_ event: TieredCacheEvent) {
        let isGood = event.kind == .storeRecovered || event.kind == .circuitClosed
        var metadata: Logger.Metadata = ["store": "\(event.store)"]
        if let error = event.underlyingError as? StoreError { metadata["code"] = "\(error.code)" }
        log(level: isGood ? .notice : .warning, "\(event.description)", metadata: metadata)
    }
}
