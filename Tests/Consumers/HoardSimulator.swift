// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// traits:
// packages:

import HoardSimulator

precondition(SimulationPolicy(name: "lru") != nil)
precondition(SimulationCapacity("5%") != nil)
