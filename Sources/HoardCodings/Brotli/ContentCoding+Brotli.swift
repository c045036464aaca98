// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

// Only Linux has libbrotli among its packages; Apple's systems have no encoder that makes the same output.
#if Brotli && os(Linux)
    extension ContentCoding {
        static var hasBrotli: Bool { true }

        static func makeBrotliDecoder() throws(CodingError) -> any DecodingStage {
            try BrotliDecoder()
        }

        static func makeBrotliEncoder(level: Int) throws(CodingError) -> any EncodingStage {
            try BrotliEncoder(level: level)
        }
    }
#else
    extension ContentCoding {
        static var hasBrotli: Bool { false }

        static func makeBrotliDecoder() throws(CodingError) -> any DecodingStage {
            throw .unsupported(.brotli, trait: "Brotli")
        }

        static func makeBrotliEncoder(level: Int) throws(CodingError) -> any EncodingStage {
            throw .unsupported(.brotli, trait: "Brotli")
        }
    }
#endif
