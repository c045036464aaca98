// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// traits: Observability
// packages: swift-distributed-tracing swift-log swift-metrics

import Hoard
import HoardObservability

let cache = Cache<String, Int>(maximumCount: 100)
let reporter = CacheMetrics.Reporter(CacheMetrics())
reporter.register(cache, as: "answers")
