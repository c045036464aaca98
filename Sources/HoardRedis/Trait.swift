// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if !Redis
    #error("HoardRedis needs the trait Redis: .package(url: …, from: …, traits: [\"Redis\"])")
#endif
