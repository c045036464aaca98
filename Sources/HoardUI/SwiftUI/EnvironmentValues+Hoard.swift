// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
    public import HoardImages
    public import HoardViews
    public import SwiftUI

    private struct ImageCacheKey: EnvironmentKey {
        static let defaultValue: ImageCache? = nil
    }

    private struct ViewClientKey: EnvironmentKey {
        static let defaultValue: (any ViewClientProtocol)? = nil
    }

    private struct ScreenNavigatorKey: EnvironmentKey {
        static let defaultValue: ScreenNavigator? = nil
    }

    private struct ComponentViewsKey: EnvironmentKey {
        static let defaultValue = ComponentViews()
    }

    private struct ScreenImageOptionsKey: EnvironmentKey {
        static let defaultValue = ImageOptions()
    }

    extension EnvironmentValues {
        /// The options that all images of the screen have that a ``ScreenView`` shows.
        var screenImageOptions: ImageOptions {
            get { self[ScreenImageOptionsKey.self] }
            set { self[ScreenImageOptionsKey.self] = newValue }
        }

        /// The cache of ``CachedImage``. `nil`: none; images stay at their placeholders. Default: `nil`.
        public var imageCache: ImageCache? {
            get { self[ImageCacheKey.self] }
            set { self[ImageCacheKey.self] = newValue }
        }

        /// The client that fetches the screens of ``ScreenView`` and ``HoardScreen``. `nil`: none. Default: `nil`.
        public var viewClient: (any ViewClientProtocol)? {
            get { self[ViewClientKey.self] }
            set { self[ViewClientKey.self] = newValue }
        }

        /// The navigator that carries out the actions of components. ``HoardScreen`` sets it. `nil`: actions do nothing. Default: `nil`.
        public var screenNavigator: ScreenNavigator? {
            get { self[ScreenNavigatorKey.self] }
            set { self[ScreenNavigatorKey.self] = newValue }
        }

        /// How components are shown that ``ComponentView`` does not know, and how all look.
        public var componentViews: ComponentViews {
            get { self[ComponentViewsKey.self] }
            set { self[ComponentViewsKey.self] = newValue }
        }
    }

    extension View {
        /// Sets the cache of every ``CachedImage`` in this view.
        public func imageCache(_ cache: ImageCache?) -> some View { environment(\.imageCache, cache) }

        /// Sets the client that fetches the screens in this view.
        public func viewClient(_ client: (any ViewClientProtocol)?) -> some View { environment(\.viewClient, client) }

        /// Sets the navigator that carries out the actions of the components in this view.
        public func screenNavigator(_ navigator: ScreenNavigator?) -> some View { environment(\.screenNavigator, navigator) }

        /// Sets how components are shown in this view.
        public func componentViews(_ views: ComponentViews) -> some View { environment(\.componentViews, views) }
    }
#endif
