// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import Testing

@Suite struct XXH64Tests {
    private func hash(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
        bytes.withUnsafeBytes { XXH64.hash($0, seed: seed) }
    }

    @Test(arguments: [
        ("", 0xEF46_DB37_51D8_E999 as UInt64),
        ("a", 0xD24E_C4F1_A98C_6E5B),
        ("abc", 0x44BC_2CF5_AD77_0999),
        ("message digest", 0x066E_D728_FCEE_B3BE),
        ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
    ])
    func knownTextsHaveTheirPublishedHashes(text: String, expected: UInt64) {
        #expect(hash(Array(text.utf8)) == expected)
    }

    /// The first bytes of the sequence 7 i mod 251, hashed by the reference implementation, without a seed and with one.
    @Test(arguments: [
        (0, 0xEF46_DB37_51D8_E999 as UInt64, 0x6EC6_D05F_61C7_E7A7 as UInt64),
        (1, 0xE934_A84A_DB05_2768, 0x6050_8B0C_ED72_C717),
        (3, 0x9FF7_0A63_5A62_09AB, 0xCCA4_0238_838E_E5C2),
        (4, 0xAE5A_CDC0_0A55_AC41, 0x8382_7D3D_D32E_E39C),
        (5, 0x8AD5_8CE1_8A6F_D093, 0x7A8B_1FC2_E48C_09A1),
        (7, 0xD734_A6B2_6F3D_A63E, 0xAF0D_B5DB_6A29_3FB4),
        (8, 0x8711_6B33_65B9_24EB, 0x2447_BD24_2467_A7E4),
        (9, 0x3406_67A9_2C43_24FF, 0xFEF5_094E_945F_C128),
        (14, 0x8B3C_6F96_512C_86A1, 0xB093_E176_6B0C_0907),
        (31, 0x0F18_7C62_B1E7_22B7, 0x0683_EC96_C327_6482),
        (32, 0x91B0_CB09_31A8_C629, 0xD291_CA18_230D_9589),
        (33, 0x931B_043C_F8D6_5B94, 0xD87A_E9B6_167D_C27D),
        (63, 0x5751_86C1_2DCE_BCFD, 0x847A_8541_6B01_14CD),
        (64, 0xAB64_977B_5AF9_D022, 0xA636_A204_21D7_6C14),
        (65, 0x0C05_3117_37AA_CE2A, 0x82EF_34BA_5C82_9197),
        (222, 0xBB10_A984_EE6E_57DC, 0x5D06_E141_A98F_0710),
        (1000, 0x023F_D2ED_1FF9_57D5, 0xEB80_22CD_CA53_75D9),
        (1024, 0x5A7F_2765_F899_9B01, 0xC53B_9A37_3B22_1CC8),
    ])
    func everyLengthOfTailAgreesWithTheReference(length: Int, unseeded: UInt64, seeded: UInt64) {
        let bytes = (0..<length).map { UInt8($0 * 7 % 251) }
        #expect(hash(bytes) == unseeded)
        #expect(hash(bytes, seed: 0x9E37_79B1_85EB_CA87) == seeded)
    }

    @Test func bytesNeedNotBeAligned() {
        let bytes = (0..<100).map { UInt8($0 * 7 % 251) }
        let shifted = [0xFF] + bytes
        let hash = shifted.withUnsafeBytes { XXH64.hash(UnsafeRawBufferPointer(rebasing: $0[1...])) }
        #expect(hash == 0xB7FE_1D84_B2F2_3A05)
    }

    @Test func anyFlippedBitChangesTheHash() {
        let bytes = [UInt8](repeating: 0x5A, count: 77)
        let original = hash(bytes)
        for bit in 0..<(bytes.count * 8) {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << (bit % 8)
            #expect(hash(damaged) != original, "bit \(bit)")
        }
    }
}
