// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

// Only Linux has libzstd among its packages.
#if Zstandard && os(Linux)
    extension ContentCoding {
        static var hasZstandard: Bool { true }

        static func makeZstandardDecoder(windowLog: Int?, dictionary: [UInt8]?) throws(CodingError) -> any DecodingStage {
            try ZstandardDecoder(maximumWindowLog: windowLog ?? ZstandardWindow.maximumLog(dictionary: dictionary), dictionary: dictionary)
        }

        static func makeZstandardEncoder(level: Int, dictionary: [UInt8]?) throws(CodingError) -> any EncodingStage {
            try ZstandardEncoder(level: level, dictionary: dictionary)
        }
    }
#else
    extension ContentCoding {
        static var hasZstandard: Bool { false }

        static func makeZstandardDecoder(windowLog: Int?, dictionary: [UInt8]?) throws(CodingError) -> any DecodingStage {
            throw .unsupported(.zstandard, trait: "Zstandard")
        }

        static func makeZstandardEncoder(level: Int, dictionary: [UInt8]?) throws(CodingError) -> any EncodingStage {
            throw .unsupported(.zstandard, trait: "Zstandard")
        }
    }
#endif
