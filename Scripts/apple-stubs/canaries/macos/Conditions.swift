// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

// The branches that the sources choose: none of Linux, all of macOS.

#if os(Linux) || canImport(Glibc) || canImport(Musl) || canImport(Android) || canImport(FoundationEssentials) || canImport(FoundationNetworking)
    #error("Linux's branches are taken.")
#endif
#if !os(macOS) || !canImport(Darwin) || !canImport(os) || !canImport(Dispatch) || !canImport(ImageIO) || canImport(UIKit)
    #error("The branches of macOS are not taken.")
#endif

@available(macOS 26, *)
func later() {}

func earlier() {
    later()  // refused: only available in macOS 26 or newer
}
