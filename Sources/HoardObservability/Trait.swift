// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if !Observability
    #error("HoardObservability needs the trait Observability: .package(url: …, from: …, traits: [\"Observability\"])")
#endif
