// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HoardSimulator

/// An empty frame whose header asks for a window of 2ⁿ bytes.
private func frame(windowLog: UInt8) -> [UInt8] {
    [0x28, 0xb5, 0x2f, 0xfd, 0x00, (windowLog - 10) << 3, 0x01, 0x00, 0x00]
}

/// A frame that a reader has to skip.
private let skippableFrame: [UInt8] = [0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]

#if Zstandard && os(Linux)
    import CZstd

    @Suite("ZstdDecoder", .timeLimit(.minutes(5)))
    struct ZstdDecoderTests {
        let directory: TraceDirectory

        init() throws {
            directory = try TraceDirectory()
        }

        private func compressed(_ text: String) throws -> [UInt8] {
            let context = try #require(ZSTD_createCCtx())
            defer { ZSTD_freeCCtx(context) }
            ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
            let input = Array(text.utf8)
            var output = Array(repeating: UInt8(0), count: ZSTD_compressBound(input.count))
            let count = ZSTD_compress2(context, &output, output.count, input, input.count)
            try #require(ZSTD_isError(count) == 0)
            return Array(output.prefix(count))
        }

        private func error(_ bytes: [UInt8], partByteCount: Int = 1 << 16) throws -> AccessTraceError {
            let path = try directory.write(bytes)
            return try #require(throws: AccessTraceError.self) { try keys(of: path, partByteCount: partByteCount) }
        }

        @Test(arguments: [1, 3, 64, 1000, 1 << 16])
        func zstdIsKnownByItsContentAndMayBeCutAnywhere(partByteCount: Int) throws {
            let requests = randomRequests(count: 20_000, keyCount: 100_000, seed: 3)
            let bytes = try compressed(requests.map { "\($0)\n" }.joined())
            #expect(bytes.count < 60_000)
            #expect(try keys(of: directory.write(bytes), partByteCount: partByteCount) == requests)
            let reader = try AccessTraceReader(path: directory.write(bytes), partByteCount: partByteCount)
            var batch: [AccessRequest] = []
            while try reader.readBatch(into: &batch) {}
            #expect(reader.bytesRead == bytes.count)
            #expect(reader.byteCount == bytes.count)
        }

        @Test(arguments: [1, 5, 1 << 16])
        func framesAreReadOneAfterTheOther(partByteCount: Int) throws {
            let bytes = try skippableFrame + compressed("1\n2") + compressed("") + skippableFrame + compressed("3\n4\n") + skippableFrame
            #expect(try keys(of: directory.write(bytes), partByteCount: partByteCount) == [1, 23, 4])
        }

        @Test(arguments: [1, 11, 1 << 16])
        func truncatedZstdIsAnErrorWhereverItIsCut(partByteCount: Int) throws {
            let whole = try compressed((0..<500).map { "\($0 * 7919)\n" }.joined())
            for length in stride(from: 5, to: whole.count, by: 37) + [whole.count - 1] {
                let error = try error(Array(whole.prefix(length)), partByteCount: partByteCount)
                #expect(error.code == .truncated, "cut at \(length): \(error)")
                #expect(error.message.contains("the zstd data breaks off"))
            }
        }

        @Test func damagedZstdIsAnError() throws {
            let whole = try compressed((0..<500).map { "\($0 * 7919)\n" }.joined())
            var damaged = whole
            damaged[damaged.count - 1] ^= 0xff
            #expect(try error(damaged).code == .corrupt)
            #expect(try error(whole + Array("garbage".utf8)).code == .corrupt)
        }

        @Test func aWindowThatWouldFillTheMemoryIsAnError() throws {
            #expect(try error(frame(windowLog: 27)).code == .empty)
            let error = try error(frame(windowLog: 28))
            #expect(error.code == .unsupportedCompression)
            #expect(error.message.contains("window of more than 128 MiB"))
        }
    }
#else
    @Suite("TextSource", .timeLimit(.minutes(5)))
    struct ZstdAbsenceTests {
        @Test(arguments: [frame(windowLog: 20), skippableFrame])
        func zstdIsAnErrorThatSaysWhatToDo(bytes: [UInt8]) throws {
            let directory = try TraceDirectory()
            let path = try directory.write(bytes)
            let error = try #require(throws: AccessTraceError.self) { try keys(of: path) }
            withExtendedLifetime(directory) {}
            #expect(error.code == .unsupportedCompression)
            #expect(error.message.contains("zstd -dc"))
        }
    }
#endif
