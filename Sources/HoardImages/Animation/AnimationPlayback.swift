// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

extension AnimatedImage {
    /// The frames at their times, as often as the image asks for.
    ///
    /// - Parameter ticker: Measures how long frames are shown.
    public func playback(ticker: any Ticker = MonotonicTicker()) -> AnimationPlayback { AnimationPlayback(image: self, ticker: ticker) }
}

/// The frames of an ``AnimatedImage`` at their times. See ``AnimatedImage/playback(ticker:)``.
///
/// The first frame comes at once, each other when the one before it has been shown for its time; it is decoded before, and never on the caller's
/// actor. Frames are decoded besides the images that an ``ImageCache`` decodes at the same time. A reader that is slower than that gets every frame later, and none is left out. The sequence ends when all rounds have been shown, and its last frame stays. An
/// iterator ends with `CancellationError` when its task is cancelled, and with ``ImageError`` when a frame cannot be decoded.
public struct AnimationPlayback: AsyncSequence, Sendable {
    let image: AnimatedImage
    let ticker: any Ticker

    public func makeAsyncIterator() -> Iterator { Iterator(image: image, ticker: ticker) }

    /// Yields the frames, each when its time has come.
    public struct Iterator: AsyncIteratorProtocol {
        let image: AnimatedImage
        let ticker: any Ticker
        private(set) var cursor = FrameCursor()
        private var index = 0
        private var round = 1
        /// When the next frame is due. `nil`: there was none yet.
        private var deadline: Int64?
        private var isAtEnd = false

        init(image: AnimatedImage, ticker: any Ticker) {
            self.image = image
            self.ticker = ticker
        }

        /// Suspends until the next frame is due.
        public mutating func next() async throws -> AnimationFrame? {
            guard !isAtEnd else { return nil }
            let frame: AnimationFrame
            do throws(ImageError) {
                frame = try image.frame(at: index, &cursor)
            } catch {
                if error.code == .cancelled { throw CancellationError() }
                throw error
            }
            if let deadline { try await ticker.sleep(until: deadline) }
            try Task.checkCancellation()
            // A frame that came late is shown for its whole time.
            deadline = Swift.max(deadline ?? .min, ticker.nanoseconds()).addingSaturated(frame.duration.saturatingNanoseconds)
            advance()
            return frame
        }

        private mutating func advance() {
            index += 1
            guard index == image.frameCount else { return }
            index = 0
            isAtEnd = image.frameCount == 1 || round == image.playCount
            // An image that is shown for ever has no number of rounds.
            if image.playCount != nil { round += 1 }
        }
    }
}
