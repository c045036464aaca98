// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A place among the frames of an animation, from which decoding goes on.
struct FrameCursor {
    /// Reads the frame with the number `position` next. `nil`: nothing is being read.
    private var reader: FrameReader?
    private var position = 0
    /// The number of frames that have been decoded. For tests.
    private(set) var decodedCount = 0

    /// Decodes the next frame on the way to another: from here, or from the first if that one lies behind.
    ///
    /// - Parameter open: Returns a reader of all frames.
    /// - Returns: A frame that is not behind the one with the number `index`.
    mutating func next(
        towards index: Int,
        _ open: () throws(ImageError) -> FrameReader
    ) throws(ImageError) -> (position: Int, frame: AnimationFrame) {
        if reader == nil || position > index { (reader, position) = (try open(), 0) }
        do throws(ImageError) {
            guard let reader else { throw ImageError.damaged }
            let next = (position, try reader.next())
            position += 1
            decodedCount += 1
            // An animation that is at its end holds no decoder.
            if position == reader.frameCount { self.reader = nil }
            return next
        } catch {
            // A frame that failed leaves nothing for the next to stand on.
            reader = nil
            throw error
        }
    }
}
