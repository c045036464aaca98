// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if !UI
    #error("HoardUI needs the trait UI: .package(url: …, from: …, traits: [\"UI\"])")
#endif
