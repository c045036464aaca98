// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// One picture of an ``AnimatedImage``.
public struct AnimationFrame: Equatable, Sendable {
    /// The whole picture as it is seen, not only the part that changed.
    public let bitmap: Bitmap

    /// The time for which the picture is shown. Files often say a hundredth of a second or nothing, and browsers show such frames for a tenth; so it is a tenth here.
    public let duration: Duration

    init(bitmap: Bitmap, duration: Duration) {
        self.bitmap = bitmap
        self.duration = duration > .milliseconds(10) ? duration : .milliseconds(100)
    }
}
