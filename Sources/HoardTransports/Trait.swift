// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if !Transports
    #error("HoardTransports needs the trait Transports: .package(url: …, from: …, traits: [\"Transports\"])")
#endif
