// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// traits: Images
// packages: swift-asn1 swift-atomics swift-collections swift-crypto swift-http-structured-headers swift-http-types swift-nio swift-system

import Foundation
import HoardImages

let images = ImageCache()
try await images.store(Data("no image".utf8), forKey: "avatar")
do {
    _ = try await images.image(forKey: "avatar")
    preconditionFailure("It is no image.")
} catch {
    print(error)
}
