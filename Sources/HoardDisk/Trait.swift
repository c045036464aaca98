// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if !Disk
    #error("HoardDisk needs the trait Disk: .package(url: …, from: …, traits: [\"Disk\"])")
#endif
