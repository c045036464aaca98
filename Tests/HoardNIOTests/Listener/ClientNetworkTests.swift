// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardNIOTestSupport
import HoardTesting
import Testing

@testable import HoardNIO

@Suite struct ClientNetworkTests {
    @Test func addressesOfOneClientAreOne() throws {
        let same = [
            ("192.0.2.1", "192.0.2.1"), ("192.0.2.1", "::ffff:192.0.2.1"), ("2001:db8:0:1::1", "2001:db8:0:1:ffff:ffff:ffff:ffff"),
            ("2001:DB8::", "2001:db8:0:0::9"),
        ]
        for (one, other) in same { #expect(try #require(ClientNetwork(one)) == #require(ClientNetwork(other))) }
        let different = [("192.0.2.1", "192.0.2.2"), ("2001:db8:0:1::1", "2001:db8:0:2::1"), ("0.0.0.1", "::1"), ("::", "0.0.0.0")]
        for (one, other) in different { #expect(try #require(ClientNetwork(one)) != #require(ClientNetwork(other))) }
    }

    @Test(arguments: ["", "localhost", "192.0.2", "192.0.2.256", "2001:db8", "[::1]", "unix:"])
    func otherTextsAreNoAddresses(_ text: String) {
        #expect(ClientNetwork(text) == nil)
    }

    @Test func connectionsAreCountedByClient() throws {
        let registry = ConnectionRegistry(maximumCount: 10)
        let one = try #require(ClientNetwork("192.0.2.1"))
        let other = try #require(ClientNetwork("192.0.2.2"))
        #expect(registry.entered(one, maximumCount: 2))
        #expect(registry.entered(one, maximumCount: 2))
        #expect(!registry.entered(one, maximumCount: 2))
        #expect(registry.entered(other, maximumCount: 2))
        registry.left(one)
        #expect(registry.entered(one, maximumCount: 2))
        registry.left(other)
        registry.left(other)
        #expect(registry.entered(other, maximumCount: 1))
        #expect(!registry.entered(other, maximumCount: 1))
    }

    @Test func limitThatIsRaisedOpensTheGates() {
        let registry = ConnectionRegistry(maximumCount: 1)
        let opened = Counter()
        let gate = ObjectIdentifier(opened)
        registry.addGate(gate) { opened.add() }
        registry.accepted()
        #expect(!registry.mayAccept())
        registry.setMaximumCount(1)
        #expect(opened.value == 0)
        registry.setMaximumCount(2)
        #expect(opened.value == 1)
        #expect(registry.mayAccept())
        #expect(registry.maximumCount == 2)
        #expect(registry.totalCount == 1)
        registry.removeGate(gate)
        registry.openGates()
        #expect(opened.value == 1)
    }
}
