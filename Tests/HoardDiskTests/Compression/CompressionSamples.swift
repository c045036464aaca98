// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import CZlib
import Foundation
import HoardTesting

@testable import HoardDisk

extension PayloadCompressor {
    static func decompress(_ bytes: some Collection<UInt8>, to byteCount: Int) -> Data? {
        Array(bytes).withUnsafeBytes { decompress($0, byteCount: byteCount) }
    }
}

/// Text that compresses well, but not extremely well.
func makeText(byteCount: Int) -> Data {
    var generator = SeededGenerator(seed: 1)
    var text = Data()
    while text.count < byteCount {
        text += Data(#"{"id":\#(Int.random(in: 0..<1_000_000, using: &generator)),"name":"record","fresh":true},"#.utf8)
    }
    return text.prefix(byteCount)
}

func makeNoise(byteCount: Int, seed: UInt64 = 2) -> Data {
    var generator = SeededGenerator(seed: seed)
    return Data((0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
}

/// The output of zlib itself for `bytes`.
func zlibCompressed(_ bytes: Data) -> Data {
    var count = compressBound(UInt(bytes.count))
    var output = Data(count: Int(count))
    let status = output.withUnsafeMutableBytes { output in
        bytes.withUnsafeBytes { bytes in
            CZlib.compress(
                output.baseAddress?.assumingMemoryBound(to: UInt8.self),
                &count,
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                UInt(bytes.count)
            )
        }
    }
    return status == Z_OK ? output.prefix(Int(count)) : Data()
}
