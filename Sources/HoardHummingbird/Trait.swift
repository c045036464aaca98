// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if !Hummingbird
    #error("HoardHummingbird needs the trait Hummingbird: .package(url: …, from: …, traits: [\"Hummingbird\"])")
#endif
