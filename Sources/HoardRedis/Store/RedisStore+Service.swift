// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Lifecycle
    public import ServiceLifecycle

    extension RedisStore: Service {
        /// Waits until the service group shuts down or the task is cancelled, and then closes the store (``close()``). Suspends until the store is
        /// closed.
        ///
        /// A group ends its services in reverse order: name the store before the services that use it. A cache that
        /// writes behind has to be flushed or closed by one of those.
        public func run() async {
            try? await gracefulShutdown()
            await close()
        }
    }
#endif
