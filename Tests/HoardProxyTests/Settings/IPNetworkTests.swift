// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardProxy
import Testing

@Suite struct IPNetworkTests {
    @Test(
        arguments: [
            ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.0/8", "::ffff:10.1.1.1", true),
            ("10.1.2.3", "10.1.2.3", true),
            ("10.1.2.3", "10.1.2.4", false), ("0.0.0.0/0", "1.2.3.4", true), ("0.0.0.0/0", "::1", false), ("::/0", "1.2.3.4", true),
            ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::1", false), ("::1", "::1", true),
            ("192.0.2.128/25", "192.0.2.127", false), ("192.0.2.128/25", "192.0.2.200", true), ("fe80::/10", "fe80::1%eth0", true),
            ("unix", "", true),
            ("unix", "127.0.0.1", false), ("127.0.0.1", "", false), ("127.0.0.1", "rubbish", false),
        ]
    )
    func containsItsAddresses(text: String, address: String, expected: Bool) throws {
        let network = try #require(IPNetwork(text))
        #expect(network.contains(address) == expected)
        #expect(network.description == text)
    }

    @Test(arguments: [
        "", "10.0.0.0/33", "10.0.0.0/", "10.0.0/8", "::/129", "example.com", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0.0/ 8", "/8", "10.0.0.0/+8",
    ])
    func refusesWhatIsNone(text: String) {
        #expect(IPNetwork(text) == nil)
    }
}
