// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardImages

/// Which image is in which row, and which are loaded before they are shown.
@MainActor final class ImageRows {
    let images: ImageCache
    private let prefetcher: ImagePrefetcher

    /// The images, by row. New images cancel the prefetches for the rows before.
    var urls: [String] {
        didSet { if urls != oldValue { prefetcher.stopAll() } }
    }

    /// The options with which cells show images: a bitmap of another size is another bitmap.
    var options = ImageOptions() {
        didSet { if options != oldValue { prefetcher.stopAll() } }
    }

    init(_ urls: [String], from images: ImageCache) {
        self.urls = urls
        self.images = images
        prefetcher = ImagePrefetcher(images)
    }

    func prefetch(_ rows: [Int]) { prefetcher.start(urls(of: rows), options: options) }

    func cancelPrefetching(_ rows: [Int]) { prefetcher.stop(urls(of: rows), options: options) }

    /// A list that was changed may ask for rows that are gone.
    private func urls(of rows: [Int]) -> [String] { rows.filter(urls.indices.contains).map { urls[$0] } }
}
