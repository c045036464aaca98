// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

// Messages are part of this module's interface: a file that imports it needs no second import for bodies and transports.
@_exported public import HoardMessages
