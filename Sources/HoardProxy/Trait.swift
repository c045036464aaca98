// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if !Proxy
    #error("HoardProxy needs the trait Proxy: .package(url: …, from: …, traits: [\"Proxy\"])")
#endif
