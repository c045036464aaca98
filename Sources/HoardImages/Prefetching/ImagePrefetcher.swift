// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

/// Loads images before they are shown: those that a list is about to reach.
///
/// ```swift
/// let prefetcher = ImagePrefetcher(images)
///
/// func tableView(_ view: UITableView, prefetchRowsAt paths: [IndexPath]) { prefetcher.start(paths.map { posts[$0.row].imageURL }, options: options) }
/// func tableView(_ view: UITableView, cancelPrefetchingForRowsAt paths: [IndexPath]) { prefetcher.stop(paths.map { posts[$0.row].imageURL }, options: options) }
/// ```
///
/// The options have to be those with which the image will be shown: a bitmap of another size is another one. `ImageSizing.options(_:width:height:scale:)` of HoardUI has
/// those of a view.
///
/// Images are loaded in the order of their priorities, then in that of the calls, a few at a time. A cell that shows an image meanwhile waits for none of them: it
/// joins the load if that is under way, and begins its own if not.
///
/// An image that was started twice has to be stopped twice; when its load has ended, it counts as never started. A load that is stopped is cancelled at
/// once, unless another caller waits for the same image. All loads are stopped when the prefetcher is released. Failures are not reported: a view that
/// shows the image will ask for it again.
public final class ImagePrefetcher: Sendable {
    /// How a prefetcher loads, and how much.
    public struct Configuration: Sendable {
        /// How far images are brought.
        public struct Destination: Hashable, Sendable, CustomStringConvertible {
            public let description: String

            /// Into memory, decoded: a cell shows it at once.
            public static var bitmap: Self { Self(description: #function) }
            /// Into the HTTP cache, as bytes: takes no memory for pixels, and no time of a processor.
            public static var original: Self { Self(description: #function) }
        }

        /// How far images are brought. Default: ``Destination/bitmap``.
        public var destination: Destination = .bitmap

        /// The most images that are loaded at once; at least 1. Default: 2, so that the images on the screen come first.
        public var maximumConcurrentLoads = 2

        /// The most images that wait for their turn; at least 1. Of more than these, the ones that have waited longest go, since a list has most likely passed them. Default: 1,000.
        public var maximumWaitingCount = 1_000

        /// Asked before each load whether data should be saved, as in a network's low-data mode. If so, the image is not loaded. Default: never.
        public var savesData: @Sendable () -> Bool = { false }

        /// Creates a configuration with the defaults; change the properties afterwards.
        public init() {}
    }

    private let loads: PrefetchLoads

    /// Creates a prefetcher.
    ///
    /// - Parameter images: Loads the images, and keeps them.
    public init(_ images: ImageCache, configuration: Configuration = Configuration()) {
        let bringsBitmaps = configuration.destination == .bitmap
        loads = PrefetchLoads(configuration) { request in
            if configuration.savesData() { return }
            if bringsBitmaps {
                _ = try? await images.lookup(request)
            } else {
                try? await images.fetchOriginal(of: request)
            }
        } request: { url, options in
            images.request(for: url, options)
        }
    }

    deinit { loads.stopAll() }

    /// Wants images. Returns at once. O(*n*) in their number.
    ///
    /// - Parameters:
    ///   - options: As for ``ImageCache/image(for:options:)-(String,_)``. Only with the same ones will the bitmap be found.
    ///   - priority: Of the tasks that load; images of a higher one come first. The highest that is wanted for an image counts.
    public func start(_ urls: some Sequence<String>, options: ImageOptions = ImageOptions(), priority: TaskPriority = .utility) {
        loads.start(urls.map { loads.request($0, options) }, priority)
    }

    /// Takes back a call of ``start(_:options:priority:)``. Loads that no caller wants any more end at once. O(*n*) in the number of images.
    ///
    /// - Parameter options: Those with which the images were started.
    public func stop(_ urls: some Sequence<String>, options: ImageOptions = ImageOptions()) {
        loads.stop(urls.map { loads.request($0, options) })
    }

    /// Takes everything back. O(*n*) in the number of images that wait.
    public func stopAll() { loads.stopAll() }

    /// Whether no load begins. Those under way go on. Default: `false`.
    public var isPaused: Bool {
        get { loads.isPaused }
        set { loads.isPaused = newValue }
    }

    /// The number of images that wait for their turn.
    public var waitingCount: Int { loads.waitingCount }

    /// The number of images that are being loaded.
    public var loadingCount: Int { loads.loadingCount }
}
