// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
internal import NIOCore

/// Writes responses from memory with the fields that each answer has anew.
struct HitWriter: Sendable {
    /// The text between the numbers of `Age` and `ttl`.
    private let beforeTimeToLive: [UInt8]
    /// The text behind the number of `ttl`.
    private let afterTimeToLive: [UInt8]

    /// Content up to this length is copied behind its head: that takes less time than having the kernel gather it.
    private static let maximumCopiedByteCount = 16 << 10

    /// - Parameters:
    ///   - statusPrefix: The value of `Cache-Status` up to the number of `ttl`.
    ///   - statusSuffix: The rest of it.
    ///   - proxyName: For `Via`.
    init(statusPrefix: String, statusSuffix: String, proxyName: String) {
        beforeTimeToLive = Array("\r\nCache-Status: \(statusPrefix)".utf8)
        afterTimeToLive = Array("\(statusSuffix)\r\nVia: 1.1 \(proxyName)\r\n".utf8)
    }

    /// Writes the answer that `hit` is.
    ///
    /// - Parameters:
    ///   - isHead: Whether the answer has no content.
    ///   - rules: The rules that change the fields; `nil` for none.
    ///   - announcesClose: Whether the connection closes behind it.
    /// - Returns: Whether that is all of it. Otherwise the content has to follow.
    func write(
        _ hit: FreshHit,
        to output: inout ByteBuffer,
        isHead: Bool = false,
        isSecure: Bool = false,
        _ rules: ImmediateRules? = nil,
        announcesClose: Bool = false
    ) -> Bool {
        let length = hit.contentByteCount
        let isCopied = !isHead && length <= Self.maximumCopiedByteCount
        let added = rules?.maximumByteCount ?? 0
        let capacity = hit.head.byteCount + beforeTimeToLive.count + afterTimeToLive.count + added + (isCopied ? length : 0) + 160
        output.writeWithUnsafeMutableBytes(minimumWritableBytes: capacity) { space in
            var writer = HeadWriter(space)
            let present = hit.head.withUnsafeBytes { head -> ImmediateRules.Present in
                if let rules { return rules.writeKept(of: head) { writer.write($0) } }
                writer.write(head)
                return 0
            }
            writer.write("Age: ")
            writer.write(hit.age)
            writer.write(beforeTimeToLive)
            writer.write(hit.timeToLive)
            writer.write(afterTimeToLive)
            rules?.writeAdded(present, isSecure: isSecure) { writer.write($0) }
            if hit.head.contentLength == nil {
                writer.write("Content-Length: ")
                writer.write(Int64(length))
                writer.write("\r\n")
            }
            if announcesClose { writer.write("Connection: close\r\n") }
            writer.write("\r\n")
            if isCopied { hit.body.withBytesAtHand { writer.write($0) } }
            return writer.count
        }
        return isHead || isCopied
    }
}

/// Writes into memory that is large enough.
private struct HeadWriter {
    private let space: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(_ space: UnsafeMutableRawBufferPointer) {
        self.space = space
    }

    @inline(__always)
    mutating func write(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: space[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    @inline(__always)
    mutating func write(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { write($0) }
    }

    @inline(__always)
    mutating func write(_ text: StaticString) {
        write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Writes a number in decimal digits.
    mutating func write(_ number: Int64) {
        var rest = number.magnitude
        var length = number < 0 ? 2 : 1
        var power = rest / 10
        while power > 0 {
            power /= 10
            length += 1
        }
        if number < 0 { space[count] = UInt8(ascii: "-") }
        count += length
        var index = count
        repeat {
            index -= 1
            space[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        } while rest > 0
    }
}
