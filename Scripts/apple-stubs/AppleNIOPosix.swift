// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// Scripts/apple-check: NIOPosix, name by name. The sources' `import NIOPosix` is read as the import of this module: NIOPosix exports the whole C library of the system,
// https://github.com/apple/swift-nio/blob/main/Sources/NIOPosix/System.swift, which was Glibc when it was built.

@_exported public import Darwin

@_exported public import class NIOPosix.ClientBootstrap
@_exported public import class NIOPosix.MultiThreadedEventLoopGroup
@_exported public import struct NIOPosix.NIOConnectionError
@_exported public import class NIOPosix.NIOThreadPool
@_exported public import class NIOPosix.ServerBootstrap
@_exported public import class NIOPosix.ThreadSpecificVariable
