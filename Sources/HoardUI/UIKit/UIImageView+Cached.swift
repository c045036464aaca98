// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(UIKit) && !os(watchOS)
    public import HoardImages
    public import UIKit

    extension UIImageView {
        /// Shows the image at a URL, and a placeholder until it is there. One in memory is there at once.
        ///
        /// ```swift
        /// func tableView(_ view: UITableView, cellForRowAt path: IndexPath) -> UITableViewCell {
        ///     …
        ///     cell.picture.showImage(at: posts[path.row].imageURL, from: images, size: CGSize(width: 80, height: 80))
        /// }
        /// func tableView(_ view: UITableView, willDisplay cell: UITableViewCell, forRowAt path: IndexPath) { cell.picture.resumeImage() }
        /// func tableView(_ view: UITableView, didEndDisplaying cell: UITableViewCell, forRowAt path: IndexPath) { cell.picture.pauseImage() }
        /// ```
        ///
        /// The image that the view waited for before is not shown any more, and its load is cancelled. If the load fails, the placeholder stays. Asking for the same image in the same size again changes nothing.
        ///
        /// - Parameters:
        ///   - url: `nil`: the placeholder alone.
        ///   - size: In points; the image is decoded for it. A cell that is being made has no size yet, so name it.
        ///     Default: that of this view, if it has one, and else the one of `options`.
        ///   - playsAnimations: Whether the frames of a GIF, a WebP or an AVIF that moves are shown at their times.
        public func showImage(
            at url: String?,
            from cache: ImageCache,
            placeholder: UIImage? = nil,
            options: ImageOptions = ImageOptions(),
            size: CGSize? = nil,
            playsAnimations: Bool = false
        ) {
            let (scale, size) = (max(1, traitCollection.displayScale), size ?? bounds.size)
            let place = ImagePlace(width: size.width, height: size.height, scale: scale)
            ImagePresenter.present(
                url,
                from: cache,
                options,
                playsAnimations: playsAnimations,
                fills: contentMode == .scaleAspectFill,
                place,
                in: self
            ) { [weak self] image in
                self?.image = image.map { UIImage(cgImage: $0, scale: scale, orientation: .up) } ?? placeholder
            }
        }

        /// Cancels the load that the view waits for, while it is not on the screen.
        public func pauseImage() { ImagePresenter.of(self)?.stop() }

        /// Shows the image again for which the view was asked last.
        public func resumeImage() { ImagePresenter.of(self)?.start() }
    }
#endif
