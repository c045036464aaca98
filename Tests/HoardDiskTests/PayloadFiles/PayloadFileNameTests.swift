// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardDisk

@Suite struct PayloadFileNameTests {
    @Test func pathHoldsIdAndNonceInHexadecimal() {
        let name = PayloadFileName(id: Int64(bitPattern: 0xabcd_ef01_2345_6789), nonce: 0x0123_4567_89ab_cdef)
        #expect(name.relativePath == "payloads/ab/abcdef0123456789-0123456789abcdef")
        #expect(name.folder == 0xab)
    }

    @Test(
        arguments: [
            (0, 0, "payloads/00/0000000000000000-0000000000000000"),
            (-1, .max, "payloads/ff/ffffffffffffffff-ffffffffffffffff"),
            (.min, 1, "payloads/80/8000000000000000-0000000000000001"),
            (.max, 10, "payloads/7f/7fffffffffffffff-000000000000000a"),
        ] as [(Int64, UInt64, String)]
    ) func namesAreReadBack(id: Int64, nonce: UInt64, path: String) {
        let name = PayloadFileName(id: id, nonce: nonce)
        #expect(name.relativePath == path)
        let parts = path.split(separator: "/").map(String.init)
        #expect(PayloadFileName(folderName: parts[1], fileName: parts[2]) == name)
        #expect(PayloadFileName(fileName: parts[2], inFolder: name.folder) == name)
    }

    @Test(arguments: [
        ("ab", ""),
        ("ab", "abcdef0123456789"),
        ("ab", "abcdef0123456789-"),
        ("ab", "abcdef0123456789-0123456789abcde"),
        ("ab", "abcdef0123456789-0123456789abcdef0"),
        ("ab", "abcdef0123456789_0123456789abcdef"),
        ("ab", "abcdef012345678-90123456789abcdef"),
        ("ab", "ABCDEF0123456789-0123456789abcdef"),
        ("ab", "abcdef0123456789-0123456789abcdeF"),
        ("ab", "abcdef0123456789-0123456789abcdeg"),
        ("ab", "+bcdef0123456789-0123456789abcdef"),
        ("ab", "abcdef0123456789-0123456789abcde "),
        ("ab", "abcdef0123456789-0123456789abcdé"),
        ("ac", "abcdef0123456789-0123456789abcdef"),
        ("AB", "abcdef0123456789-0123456789abcdef"),
        ("abc", "abcdef0123456789-0123456789abcdef"),
        ("b", "abcdef0123456789-0123456789abcdef"),
        ("", "abcdef0123456789-0123456789abcdef"),
        ("a/", "abcdef0123456789-0123456789abcdef"),
    ]) func nothingElseIsAName(folder: String, file: String) {
        #expect(PayloadFileName(folderName: folder, fileName: file) == nil)
    }

    @Test func everyFolderHasItsOwnName() {
        let names = (UInt8.min...UInt8.max).map(PayloadFileName.folderName)
        #expect(Set(names).count == 256)
        #expect(names.allSatisfy { $0.utf8.count == 2 })
        #expect(names[0x0f] == "0f")
    }
}
