// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if !Redis && !Transports && !Server
    #error("A product of Hoard needs the trait of its name: .package(url: …, from: …, traits: [\"HTTP\"]), for instance. The README has the list.")
#endif
