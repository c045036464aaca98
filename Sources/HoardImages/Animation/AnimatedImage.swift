// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A picture that may move: the frames of a GIF, a WebP or an AVIF, or the only one of any other image.
///
/// ```swift
/// let cat = try AnimatedImage(decoding: data, maximumPixelSize: 400)
/// for try await frame in cat.playback() {
///     show(frame.bitmap)
/// }
/// ```
///
/// Frames are decoded when they are first asked for. They are kept if all of them together have no more than ``ImageLimits/maximumAnimationBytes``. Otherwise
/// only the last one is kept, and each round decodes them again; each ``playback(ticker:)`` then has a decoder of its own.
public final class AnimatedImage: Sendable {
    /// In pixels.
    public let width: Int
    /// In pixels.
    public let height: Int
    /// The number of frames, at least 1.
    public let frameCount: Int
    /// The number of times that the frames are shown in all; `nil`: for ever.
    public let playCount: Int?
    /// The first frame.
    public let firstFrame: AnimationFrame

    private struct State {
        var cursor = FrameCursor()
        /// The frames from the first on, as far as they have been decoded.
        var kept: [AnimationFrame]
        var keptByteCount: Int
        /// Whether a frame was too large to be kept, so that none behind it is kept either.
        var isFull = false
        var last: (index: Int, frame: AnimationFrame)
    }

    private let data: Data
    private let target: DecodeTarget
    private let processors: [ImageProcessor]
    private let limits: ImageLimits
    /// The most bytes that reading frames takes.
    private let readerByteCount: Int
    private let state: Mutex<State>

    /// Reads the image and decodes its first frame. Keeps `data`. Never suspends; O(*n*) in the bytes and in the pixels of a frame.
    ///
    /// - Parameters:
    ///   - maximumPixelSize: The length of the longer side, in pixels, that is enough. `nil`: the full size.
    ///   - processors: Applied to each frame.
    /// - Throws: ``ImageError``, as ``Bitmap/init(decoding:maximumPixelSize:limits:keepsOriginal:)`` does; `tooLarge` also for too many frames.
    public init(
        decoding data: Data,
        maximumPixelSize: Int? = nil,
        processors: [ImageProcessor] = [],
        limits: ImageLimits = ImageLimits()
    ) throws(ImageError) {
        let target = DecodeTarget(maximumPixelSize: maximumPixelSize, processors: processors)
        let reader = try FrameReader(data, target: target, limits: limits)
        let first = try reader.next().applying(processors)
        self.data = data
        self.target = target
        self.processors = processors
        self.limits = limits
        firstFrame = first
        (width, height) = (first.bitmap.width, first.bitmap.height)
        (frameCount, playCount) = (reader.frameCount, reader.playCount)
        readerByteCount = reader.frameCount == 1 ? 0 : reader.heldByteCount
        // An animation that is never played holds no decoder.
        state = Mutex(State(kept: [first], keptByteCount: first.bitmap.byteCount, last: (0, first)))
    }
}

extension AnimatedImage {
    /// Whether all frames are kept once they have been decoded.
    public var keepsFrames: Bool {
        let (bytes, overflows) = firstFrame.bitmap.byteCount.multipliedReportingOverflow(by: frameCount)
        return !overflows && bytes <= max(0, limits.maximumAnimationBytes)
    }

    /// The most bytes that the image takes up: those it was decoded from, the frames that it keeps, and those that the
    /// decoder holds while frames are read. The decoder's part is an estimate for WebP and AVIF, and is not known on
    /// Apple's systems. Decoders of further playbacks are not counted.
    public var byteCount: Int { data.count + frameByteCount + readerByteCount }

    private var frameByteCount: Int { firstFrame.bitmap.byteCount * (frameCount == 1 ? 1 : keepsFrames ? frameCount : 2) }

    /// A frame. Never suspends. O(1) if the frame has been decoded and is kept; otherwise it takes as long as decoding takes, from the frame read
    /// last on, or from the first if that comes later. Call it where waiting does no harm; other callers wait
    /// meanwhile, too. A processor's closure must not ask the image that it is changing.
    ///
    /// - Parameter index: From 0; less than ``frameCount``.
    /// - Throws: ``ImageError`` with the code `damaged`, `cancelled`, `tooLarge` or `failed`. A later call tries again.
    public func frame(at index: Int) throws(ImageError) -> AnimationFrame {
        precondition((0..<frameCount).contains(index), "The animation has no such frame.")
        return try state.withLock { state throws(ImageError) -> AnimationFrame in
            if index < state.kept.count { return state.kept[index] }
            if index == state.last.index { return state.last.frame }
            return try decode(index, &state)
        }
    }

    /// A frame for a playback. One that is not kept is decoded from the playback's own place on, so that several playbacks do not send each other back.
    func frame(at index: Int, _ cursor: inout FrameCursor) throws(ImageError) -> AnimationFrame {
        if state.withLock({ index < $0.kept.count || keepsFrames && !$0.isFull }) { return try frame(at: index) }
        while true {
            let (position, decoded) = try cursor.next(towards: index, openReader)
            if position == index { return try decoded.applying(processors) }
        }
    }

    private func openReader() throws(ImageError) -> FrameReader { try FrameReader(data, target: target, limits: limits) }

    private func decode(_ index: Int, _ state: inout State) throws(ImageError) -> AnimationFrame {
        while true {
            let (position, decoded) = try state.cursor.next(towards: index, openReader)
            let isNext = keepsFrames && !state.isFull && position == state.kept.count
            // Frames on the way to a later one that are not kept need no processing.
            guard isNext || position == index else { continue }
            let frame = try decoded.applying(processors)
            if isNext {
                // Processors may make frames of different sizes.
                state.isFull = state.keptByteCount + frame.bitmap.byteCount > frameByteCount
                if !state.isFull {
                    state.kept.append(frame)
                    state.keptByteCount += frame.bitmap.byteCount
                }
            }
            guard position == index else { continue }
            state.last = (index, frame)
            return frame
        }
    }
}

extension AnimationFrame {
    fileprivate func applying(_ processors: [ImageProcessor]) throws(ImageError) -> AnimationFrame {
        processors.isEmpty ? self : AnimationFrame(bitmap: try bitmap.applying(processors), duration: duration)
    }
}
