// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension ContentCoding {
    /// Makes a decoder of this coding, for callers that pull decoded bytes; ``ContentDecoder`` pushes them,
    /// and watches limits.
    ///
    /// - Parameters:
    ///   - windowLog: The largest window of Zstandard that is given memory, as a power of two; by
    ///     default 8 MiB, or more with a longer dictionary.
    ///   - dictionary: Bytes that the data may refer to as if they stood before it.
    package func makeDecoder(windowLog: Int? = nil, dictionary: [UInt8]? = nil) throws(CodingError) -> any DecodingStage {
        switch kind {
        case .gzip:
            try requireNoDictionary(dictionary)
            return try ZlibDecoder(.gzip)
        case .deflate:
            try requireNoDictionary(dictionary)
            return try ZlibDecoder(.deflate)
        case .brotli:
            try requireNoDictionary(dictionary)
            return try Self.makeBrotliDecoder()
        case .zstandard:
            return try Self.makeZstandardDecoder(windowLog: windowLog, dictionary: dictionary)
        }
    }

    /// Makes an encoder of this coding.
    func makeEncoder(level: Int?, dictionary: [UInt8]?) throws(CodingError) -> any EncodingStage {
        let level = min(max(level ?? defaultLevel, levels.lowerBound), levels.upperBound)
        switch kind {
        case .gzip:
            try requireNoDictionary(dictionary)
            return try ZlibEncoder(.gzip, level: level)
        case .deflate:
            try requireNoDictionary(dictionary)
            return try ZlibEncoder(.deflate, level: level)
        case .brotli:
            try requireNoDictionary(dictionary)
            return try Self.makeBrotliEncoder(level: level)
        case .zstandard:
            return try Self.makeZstandardEncoder(level: level, dictionary: dictionary)
        }
    }

    /// Whether content can be coded with a dictionary (RFC 9842).
    ///
    /// Only Zstandard can: libbrotli has shared dictionaries since 1.1, and the systems that this
    /// builds on have 1.0.9.
    package var hasDictionaries: Bool { kind == .zstandard && Self.hasZstandard }

    private func requireNoDictionary(_ dictionary: [UInt8]?) throws(CodingError) {
        guard dictionary == nil else {
            throw CodingError(.unsupportedDictionary, "The content coding \(self) has no dictionaries here: use zstd, or no dictionary.")
        }
    }
}

extension ContentCoding {
    /// The levels that an encoder of this coding has, from fast to small.
    ///
    /// Those of Zstandard above 19 are left away: they use windows of more than 8 MiB, which no
    /// receiver has to accept (RFC 9659).
    package var levels: ClosedRange<Int> {
        switch kind {
        case .gzip, .deflate: 1...9
        case .brotli: 0...11
        case .zstandard: 1...19
        }
    }

    /// The level for content that is encoded while a reader waits for it.
    package var defaultLevel: Int {
        switch kind {
        case .gzip, .deflate: 6
        case .brotli: 5
        case .zstandard: 3
        }
    }
}
