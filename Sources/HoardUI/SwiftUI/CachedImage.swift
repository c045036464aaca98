// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
    public import HoardImages
    public import SwiftUI

    /// Shows an image of the environment's `ImageCache`.
    ///
    /// ```swift
    /// CachedImage(post.imageURL, sizing: .fill, animation: .default) { image in
    ///     image.resizable().scaledToFill()
    /// } placeholder: {
    ///     Color.gray
    /// }
    /// .frame(width: 120, height: 120).clipped()
    /// ```
    ///
    /// With ``ImageSizing/fit`` and ``ImageSizing/fill`` the view takes all the space that it is offered, as a colour does, and the image is decoded
    /// for that space. A scroll view offers none in its own direction, so give the view a frame there. With ``ImageSizing/options`` it is as large as
    /// its content, and an image in memory is there the first time that it is drawn.
    ///
    /// In a ``ScreenView``, an image whose options name no partition belongs to that of the screen, and no image of a sensitive screen reaches a store.
    ///
    /// A view that leaves the screen cancels its load, unless another caller waits for the same image, and gives the image back.
    public struct CachedImage<Content: View>: View {
        private let url: String?
        private let options: ImageOptions
        private let sizing: ImageSizing
        private let animation: Animation?
        private let showsPreviews: Bool
        private let playsAnimations: Bool
        private let content: (CachedImagePhase) -> Content
        @Environment(\.imageCache) private var cache
        @Environment(\.screenImageOptions) private var screenOptions
        @Environment(\.displayScale) private var displayScale
        @State private var holder = ImageHolder()

        /// Shows an image, whatever its state.
        ///
        /// - Parameters:
        ///   - url: `nil`: none.
        ///   - options: How the image is wanted.
        ///   - sizing: The size of the image. Default: one that fits the place of this view.
        ///   - animation: How an image that was loaded takes the placeholder's place. One in memory is not animated.
        ///   - showsPreviews: Whether a progressive JPEG is shown while it arrives: ``CachedImagePhase/preview``.
        ///   - playsAnimations: Whether the frames of a GIF, a WebP or an AVIF that moves are shown at their times.
        ///   - content: The view for a state.
        public init(
            _ url: String?,
            options: ImageOptions = ImageOptions(),
            sizing: ImageSizing = .fit,
            animation: Animation? = nil,
            showsPreviews: Bool = false,
            playsAnimations: Bool = false,
            @ViewBuilder content: @escaping (CachedImagePhase) -> Content
        ) {
            self.url = url
            self.options = options
            self.sizing = sizing
            self.animation = animation
            self.showsPreviews = showsPreviews
            self.playsAnimations = playsAnimations
            self.content = content
        }

        /// Shows an image when it is there, its preview until then, and a placeholder if there is neither.
        public init<Picture: View, Placeholder: View>(
            _ url: String?,
            options: ImageOptions = ImageOptions(),
            sizing: ImageSizing = .fit,
            animation: Animation? = nil,
            showsPreviews: Bool = false,
            playsAnimations: Bool = false,
            @ViewBuilder content: @escaping (Image) -> Picture,
            @ViewBuilder placeholder: @escaping () -> Placeholder
        ) where Content == _ConditionalContent<Picture, Placeholder> {
            self.init(
                url,
                options: options,
                sizing: sizing,
                animation: animation,
                showsPreviews: showsPreviews,
                playsAnimations: playsAnimations
            ) { phase in
                if let image = phase.image ?? phase.preview { content(image) } else { placeholder() }
            }
        }

        public var body: some View {
            let options = options.within(screenOptions)
            let model = cache.map { holder.model($0, url, options, sizing, showsPreviews: showsPreviews, playsAnimations: playsAnimations) }
            // The container is one view whatever the content is, so that the modifiers on it take effect once.
            container(CachedImagePhase(model, scale: displayScale))
                .animation(model?.wasLoaded ?? false ? animation : nil, value: model?.image == nil)
                .task(id: model.map { ObjectIdentifier($0) }) { await model?.run() }
        }

        @ViewBuilder private func container(_ phase: CachedImagePhase) -> some View {
            if sizing.isOfPlace {
                let (holder, scale) = (holder, displayScale)
                Color.clear
                    .onGeometryChange(for: ImagePlace.self) { proxy in
                        ImagePlace(width: proxy.size.width, height: proxy.size.height, scale: scale)
                    } action: { place in
                        holder.layOut(place)
                    }
                    .overlay { content(phase) }
            } else {
                ZStack { content(phase) }
            }
        }
    }

    /// The state of an image that is shown.
    public struct CachedImagePhase {
        /// The image, if it is there.
        public let image: Image?
        /// A picture to show until the image is there: see ``ObservedImage/preview``.
        public let preview: Image?
        /// The reason why the last load failed. There may be an image all the same.
        public let error: ImageError?
        /// Whether a load is under way.
        public let isLoading: Bool
        /// Loads the image again after a failure.
        public let retry: @MainActor () -> Void

        @MainActor init(_ model: ObservedImage?, scale: Double) {
            image = model?.systemImage.map { Image(decorative: $0, scale: scale) }
            preview = model?.systemPreview.map { Image(decorative: $0, scale: scale) }
            error = model?.error
            isLoading = model?.isLoading ?? false
            retry = { model?.retry() }
        }
    }
#endif
