// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The head of a response whose bytes stand for all of it. A server sends them and a cache keeps them as they came.
///
/// Each field is a line of its name, a colon, one space, its value and CR LF, all in visible ASCII, spaces and tabs. None of them concerns the connection alone.
/// The bytes are there only as long as their owner says.
package struct PlainResponseHead {
    /// The status line and the fields, without the empty line behind them.
    package let bytes: UnsafeRawBufferPointer
    /// Where the first field begins.
    package let fieldsStart: Int
    package let fieldCount: Int
    /// The status, and those fields that their reader has asked for.
    package let judged: HTTPResponse

    /// Its fields, one by one.
    package var lines: PlainLines { PlainLines(UnsafeRawBufferPointer(rebasing: bytes[fieldsStart...])) }

    package init(bytes: UnsafeRawBufferPointer, fieldsStart: Int, fieldCount: Int, judged: HTTPResponse) {
        self.bytes = bytes
        self.fieldsStart = fieldsStart
        self.fieldCount = fieldCount
        self.judged = judged
    }
}
