// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if !Testing
    #error("HoardTesting needs the trait Testing: .package(url: …, from: …, traits: [\"Testing\"])")
#endif
