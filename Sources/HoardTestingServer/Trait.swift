// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if !Server
    #error("HoardTestingServer needs the trait Server: .package(url: …, from: …, traits: [\"Server\"])")
#endif
