// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import SwiftUI

struct PhotoListView: View {
    let library: PhotoLibrary

    var body: some View {
        NavigationStack {
            List(library.photos) { photo in
                Text(photo.title).onAppear { library.photoAppeared(photo) }
            }
            .navigationTitle("Photos")
            .refreshable { await library.refresh() }
            .task { await library.run() }
        }
    }
}
