// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import HoardImages
    import Testing

    extension Picture {
        func bitmap() throws -> Bitmap { try #require(Bitmap(width: width, height: height, pixels: pixels)) }
    }
#endif
