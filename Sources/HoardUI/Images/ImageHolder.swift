// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardImages

/// Keeps the model of a view that shows images one after the other. The place is the view's: the next image is loaded for it at once.
@MainActor final class ImageHolder {
    private struct ID: Equatable {
        var cache: ObjectIdentifier
        var url: String?
        var options: ImageOptions
        var sizing: ImageSizing
        var showsPreviews: Bool
        var playsAnimations: Bool
    }

    private let holder = ModelHolder<ID, ObservedImage>()
    private var place: ImagePlace?

    /// The model for an image in the place that was told last.
    func model(
        _ cache: ImageCache,
        _ url: String?,
        _ options: ImageOptions,
        _ sizing: ImageSizing,
        showsPreviews: Bool = false,
        playsAnimations: Bool = false
    ) -> ObservedImage {
        let id = ID(
            cache: ObjectIdentifier(cache),
            url: url,
            options: options,
            sizing: sizing,
            showsPreviews: showsPreviews,
            playsAnimations: playsAnimations
        )
        return holder.model(for: id) {
            ObservedImage(cache, url, options, sizing, showsPreviews: showsPreviews, playsAnimations: playsAnimations, place: place)
        }
    }

    /// Tells the place.
    func layOut(_ place: ImagePlace) {
        self.place = place
        holder.current?.layOut(place)
    }
}
