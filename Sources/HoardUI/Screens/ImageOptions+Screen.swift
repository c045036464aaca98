// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardImages
internal import HoardViews

extension ImageOptions {
    /// The options that all images of a screen have: they belong to its partition, and those of a sensitive screen are kept in memory only.
    init(ofScreen request: ViewRequest, from client: any ViewClientProtocol) {
        let partition = (client as? ViewClient)?.partition(of: request) ?? request.partition
        self.init(partition: partition, keepsInMemoryOnly: request.isSensitive)
    }

    /// These options for an image of a screen. A partition of their own stays.
    ///
    /// - Parameter screen: The options that all images of the screen have.
    func within(_ screen: ImageOptions) -> ImageOptions {
        var options = self
        if options.partition == nil { options.partition = screen.partition }
        if screen.keepsInMemoryOnly { options.keepsInMemoryOnly = true }
        return options
    }
}
