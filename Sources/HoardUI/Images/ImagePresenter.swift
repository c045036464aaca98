// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CoreGraphics)
    internal import CoreGraphics
    internal import HoardImages

    /// Gives the image of a model to a view of UIKit or AppKit, with which it lives.
    @MainActor final class ImagePresenter {
        /// The wishes that a view has stated. While they are the same, it keeps its presenter.
        struct Wish: Equatable {
            var cache: ObjectIdentifier
            var url: String?
            var options: ImageOptions
            var sizing: ImageSizing
            var playsAnimations: Bool
            var place: ImagePlace
        }

        private static let association = Association<ImagePresenter>()

        private let wish: Wish
        private let model: ObservedImage
        private var isStarted = false
        private var show: (CGImage?) -> Void = { _ in }

        private init(_ wish: Wish, _ cache: ImageCache) {
            self.wish = wish
            model = ObservedImage(cache, wish.url, wish.options, wish.sizing, playsAnimations: wish.playsAnimations, place: wish.place)
            model.onChange = { [weak self] in self?.present() }
        }

        /// Shows an image in a view.
        ///
        /// - Parameters:
        ///   - place: Where. Without a size, the image is decoded as the options say.
        ///   - show: Gets the image after each change; `nil` stands for the placeholder.
        static func present(
            _ url: String?,
            from cache: ImageCache,
            _ options: ImageOptions,
            playsAnimations: Bool,
            fills: Bool,
            _ place: ImagePlace,
            in view: AnyObject,
            show: @escaping (CGImage?) -> Void
        ) {
            let sizing: ImageSizing = place.longerSide == nil ? .options : fills ? .fill : .fit
            let wish = Wish(
                cache: ObjectIdentifier(cache),
                url: url,
                options: options,
                sizing: sizing,
                playsAnimations: playsAnimations,
                place: place
            )
            var presenter = Self.of(view)
            if presenter?.wish != wish { presenter = ImagePresenter(wish, cache) }
            presenter?.show = show
            // The one before is released, and with it its model and its load.
            association.set(presenter, of: view)
            presenter?.start()
        }

        static func of(_ view: AnyObject) -> ImagePresenter? { association.value(of: view) }

        func start() {
            if isStarted { return present() }
            isStarted = true
            // Presents the image that is in memory, or the placeholder.
            model.start()
        }

        func stop() {
            isStarted = false
            model.stop()
        }

        private func present() { show(model.systemImage ?? model.systemPreview) }
    }
#endif
