// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Lifecycle
    public import ServiceLifecycle

    extension CachingProxy: Service {
        /// Waits until the service group shuts down, and ends the proxy then (``shutdown(gracePeriod:)``), its stores last. If the task is cancelled instead, requests
        /// under way get no time to end. Suspends until the proxy has ended, but returns at once if another caller has ended it.
        public func run() async {
            do {
                try await gracefulShutdown()
                await shutdown()
            } catch {
                await shutdown(gracePeriod: .zero)
            }
        }
    }
#endif
