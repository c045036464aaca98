// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import AppKit

func refused(_ view: NSImageView, _ image: NSImage) {
    view.image = image  // refused: main actor-isolated property 'image' can not be mutated
}

@MainActor func refusedOnTheMainActor(_ view: NSImageView, _ image: CGImage) {
    let scale: CGFloat = view.window.backingScaleFactor  // refused: must be unwrapped
    _ = view.traitCollection  // refused: has no member 'traitCollection'
    _ = NSImage(cgImage: image, scale: scale, orientation: .up)  // refused: missing argument for parameter 'size'
}
