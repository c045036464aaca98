// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Network)
    internal import Dispatch
    internal import Network
    internal import Synchronization

    /// Whether Apple's systems have a path to the network, as the [Network framework](https://developer.apple.com/documentation/network/nwpathmonitor) says.
    ///
    /// Until the system has spoken, the network counts as reachable. A path that could be established on demand, such as a VPN's, counts too.
    public final class PathReachability: Reachability {
        private let monitor = NWPathMonitor()
        private let isSatisfied = Atomic(true)

        public init() {
            monitor.pathUpdateHandler = { [weak self] path in
                self?.isSatisfied.store(path.status != .unsatisfied, ordering: .relaxed)
            }
            monitor.start(queue: DispatchQueue(label: "hoard.reachability", qos: .utility))
        }

        deinit {
            monitor.cancel()
        }

        public var isReachable: Bool { isSatisfied.load(ordering: .relaxed) }
    }
#endif
