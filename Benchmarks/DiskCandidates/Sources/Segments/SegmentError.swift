// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The failure of a call of a store of segments.
public struct SegmentError: Error, CustomStringConvertible {
    public let description: String
    /// The system's error number, if a call failed.
    public let code: Int32?

    init(_ description: String, code: Int32? = nil) {
        self.description = code.map { "\(description): error \($0)" } ?? description
        self.code = code
    }
}
