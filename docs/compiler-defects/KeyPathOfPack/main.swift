// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

// Run, in this folder:
//   swiftc -emit-module -emit-library -static -o libPacks.a -module-name Packs Packs.swift && swiftc main.swift -I . -L . -lPacks -o program && ./program
// It must print "1 a"; the compiler crashes. See docs/compiler-defects.md.

import Packs
for text in [Pack(1, "a")].map(\.text) { print(text) }
