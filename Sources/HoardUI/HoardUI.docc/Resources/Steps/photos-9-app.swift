// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTransports
import SwiftUI

@main struct PhotoApp: App {
    @State private var library = try? PhotoLibrary(
        directory: URL.cachesDirectory.appending(path: "photos").path,
        transport: URLSessionTransport()
    )

    var body: some Scene {
        WindowGroup {
            if let library { PhotoListView(library: library) } else { Text("There is no room for photos.") }
        }
    }
}
