// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Array<UInt8> {
    /// Calls a function with the bytes. Arrays have spans themselves only since macOS 26 and iOS 26.
    func withSpan<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result {
        try withUnsafeBufferPointer { (bytes) throws(Failure) in try body(bytes.span) }
    }
}
