// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension RedisError {
    /// Creates the error for the text of a server's error.
    ///
    /// A server may repeat arguments in its text, so nothing but the text's first word is passed on.
    package init(serverError text: String) {
        let word = Self.leadingWord(text)
        switch word {
        case "OOM": self.init(.outOfMemory, "The server's memory is full (OOM).")
        case "NOPERM": self.init(.notPermitted, "The user may not do that on the server (NOPERM).")
        case "NOAUTH", "WRONGPASS": self.init(.authenticationFailed, "The server does not accept the user or the password (\(word)).")
        case "LOADING", "MASTERDOWN", "CLUSTERDOWN", "READONLY", "BUSY", "TRYAGAIN", "NOREPLICAS", "MISCONF":
            self.init(.notReady, "The server cannot do that for the moment (\(word)).")
        case "NOPROTO": self.init(.unsupportedServer, "The server does not speak RESP3 (NOPROTO). Redis 6 or Valkey is needed.")
        default: self.init(.serverError, "The server could not carry out the command (\(word)).")
        }
    }

    /// The word in capital letters that an error begins with. `ERR` if there is none.
    private static func leadingWord(_ text: String) -> String {
        let word = text.utf8.prefix(while: { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        guard (1...24).contains(word.count), let word = String(word) else { return "ERR" }
        return word
    }
}

extension RedisError {
    static var nodeHasLeft: RedisError { RedisError(.connectionLost, "The node has left the cluster while the command was under way.") }
    static var missingNodes: RedisError { RedisError(.notReady, "The nodes that have the slots of the cluster are not all known.") }
}
