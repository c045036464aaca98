// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if !HTTP
    #error("HoardHTTP needs the trait HTTP: .package(url: …, from: …, traits: [\"HTTP\"])")
#endif
