// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension ContentDecoder {
    /// The limits of decoded content: a small message can fill neither memory nor disk, nor keep a core busy.
    ///
    /// Each limit holds for the output of each coding, not only for that of the last.
    package struct Limits: Hashable, Sendable {
        /// The most bytes that a coding may yield. 1 GiB by default.
        package var maximumBytes: Int
        /// The most bytes that a coding may yield for each byte that has arrived, when it has
        /// yielded more than ``ratioFloor``. 2000 by default.
        ///
        /// gzip cannot do better than 1032 to 1, and pages and scripts stay below 100 to 1, so no
        /// honest content comes near. Brotli and Zstandard can reach a million to one, and so can
        /// gzip inside gzip: that is why each coding is compared with the bytes that arrived, not
        /// with those of the one before. The bytes of a dictionary count as arrived.
        package var maximumRatio: Int
        /// The number of bytes that a coding may yield whatever the ratio is. 1 MiB by default: a short text
        /// of one letter is no attack.
        package var ratioFloor: Int

        package init(maximumBytes: Int = 1 << 30, maximumRatio: Int = 2000, ratioFloor: Int = 1 << 20) {
            precondition(maximumBytes >= 0, "maximumBytes must not be negative; it is \(maximumBytes).")
            precondition(maximumRatio >= 1, "maximumRatio must be at least 1; it is \(maximumRatio).")
            precondition(ratioFloor >= 0, "ratioFloor must not be negative; it is \(ratioFloor).")
            self.maximumBytes = maximumBytes
            self.maximumRatio = maximumRatio
            self.ratioFloor = ratioFloor
        }
    }

    /// Refuses output beyond the limits before any reader gets it.
    func checkLimits(producedByteCount: Int) throws(CodingError) {
        guard producedByteCount <= limits.maximumBytes else {
            throw CodingError(.tooLong, "The content has more than \(limits.maximumBytes) bytes when it is decoded, which is the limit.")
        }
        guard producedByteCount > limits.ratioFloor else { return }
        guard producedByteCount / limits.maximumRatio <= consumedByteCount + dictionaryByteCount else {
            throw CodingError(
                .tooDense,
                "The content grows to more than \(limits.maximumRatio) times its size when it is decoded, as only attacks do: refuse its sender."
            )
        }
    }
}
