// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if !HTTP
    #error("HoardImages needs the trait Images, or HTTP if the system decodes images: .package(url: …, from: …, traits: [\"Images\"])")
#endif
