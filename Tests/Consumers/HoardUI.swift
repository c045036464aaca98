// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// traits: UI
// packages: swift-asn1 swift-atomics swift-collections swift-crypto swift-http-structured-headers swift-http-types swift-log swift-nio swift-system

import HoardImages
import HoardUI

let image = ObservedImage(ImageCache(), sizing: .fit)
image.layOut(width: 100, height: 80, scale: 2)
image.url = "http://example.com/picture.png"
precondition(image.image == nil && !image.isLoading, "Nobody shows it.")
