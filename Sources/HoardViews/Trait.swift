// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if !Views
    #error("HoardViews needs the trait Views: .package(url: …, from: …, traits: [\"Views\"])")
#endif
