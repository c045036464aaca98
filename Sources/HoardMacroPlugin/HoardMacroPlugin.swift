// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Macros
    import SwiftCompilerPlugin
    import SwiftSyntaxMacros

    @main struct HoardMacroPlugin: CompilerPlugin {
        let providingMacros: [any Macro.Type] = [CachedMacro.self]
    }
#else
    // Without the trait Macros this program is not used.
    @main struct HoardMacroPlugin {
        static func main() {}
    }
#endif
