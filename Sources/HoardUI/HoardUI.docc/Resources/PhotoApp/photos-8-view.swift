// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardUI
import SwiftUI

struct PhotoListView: View {
    let library: PhotoLibrary

    var body: some View {
        NavigationStack {
            List(library.photos) { photo in
                VStack {
                    CachedImage(photo.url, sizing: .fill) { image in
                        image.resizable().aspectRatio(contentMode: .fill)
                    } placeholder: {
                        ProgressView()
                    }
                    .frame(height: 240).clipped()
                    Text(photo.title)
                }
                .onAppear { library.photoAppeared(photo) }
            }
            .overlay {
                if library.photos.isEmpty {
                    if library.isLoading { ProgressView() } else if library.error != nil { Text("There are no photos to show yet.") }
                }
            }
            .navigationTitle("Photos")
            .refreshable { await library.refresh() }
            .task { await library.run() }
        }
        .imageCache(library.images)
    }
}
