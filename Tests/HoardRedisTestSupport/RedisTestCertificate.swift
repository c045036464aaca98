// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Certificates for `localhost` and 127.0.0.1 that nobody but these tests trusts, each signed with its own key.
package struct RedisTestCertificate: Sendable {
    package let certificate: String
    package let privateKey: String

    /// Valid until 2126.
    package static let valid = RedisTestCertificate(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBlzCCAT2gAwIBAgIRALa8tMYe9Cnd0cWRJG9Q7iIwCgYIKoZIzj0EAwIwGzEZ
            MBcGA1UEAwwQcmVkaXMuaG9hcmQudGVzdDAgFw0yNjAxMDEwMDAwMDBaGA8yMTI2
            MTIzMTAwMDAwMFowGzEZMBcGA1UEAwwQcmVkaXMuaG9hcmQudGVzdDBZMBMGByqG
            SM49AgEGCCqGSM49AwEHA0IABHDNFxn6bI6Lgy7RNdvyANEWOuoHoNJHko2d1MLT
            xxKhgk0AeEhTqpRH/wy4LIwHpjzwBI4DQiyVyo/tXnCOSnKjYDBeMA8GA1UdEwEB
            /wQFMAMBAf8wLAYDVR0RBCUwI4IJbG9jYWxob3N0ghByZWRpcy5ob2FyZC50ZXN0
            hwR/AAABMB0GA1UdDgQWBBQQRan0+g0NxBf1fagcaCg/PS8hsDAKBggqhkjOPQQD
            AgNIADBFAiEAkR5RLoNcygT+xlca2bWutaWfO0hBoQYBSmA6oQA2+xwCIE1W1/R7
            ZomUpI3S535hZw01UhgdxydD1nGqmmcx8A4X
            -----END CERTIFICATE-----
            """,
        privateKey: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgx6bzbvGwWTPQcfri
            3If6FIw9V2e5quk9W++jwkCSlduhRANCAARwzRcZ+myOi4Mu0TXb8gDRFjrqB6DS
            R5KNndTC08cSoYJNAHhIU6qUR/8MuCyMB6Y88ASOA0IslcqP7V5wjkpy
            -----END PRIVATE KEY-----
            """
    )

    /// Was valid in the year 2020.
    package static let expired = RedisTestCertificate(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBpDCCAUqgAwIBAgIQGCBWrZ1E2qyrWKIDgkPSWDAKBggqhkjOPQQDAjAjMSEw
            HwYDVQQDDBhleHBpcmVkLnJlZGlzLmhvYXJkLnRlc3QwHhcNMjAwMTAxMDAwMDAw
            WhcNMjEwMTAxMDAwMDAwWjAjMSEwHwYDVQQDDBhleHBpcmVkLnJlZGlzLmhvYXJk
            LnRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAT/4BcM4fih8csAps6ZYkeT
            Cg0BPBZIMMC92nxSSp2GmOmArlpSLfsYBsEOGX6zW1rX6hJj+L+hZ2Wc9QpKZWZP
            o2AwXjAPBgNVHRMBAf8EBTADAQH/MCwGA1UdEQQlMCOCCWxvY2FsaG9zdIIQcmVk
            aXMuaG9hcmQudGVzdIcEfwAAATAdBgNVHQ4EFgQU6SEGysekQDEQ8rfcZOFc3xja
            qfswCgYIKoZIzj0EAwIDSAAwRQIgTcas6C3UTpYqh+M0JlICQDbpZVrF9aeoy7wZ
            q1any7oCIQD55wWslCXP2tkEtg2029MwInuVM5tQmmIi1lhpckeoQQ==
            -----END CERTIFICATE-----
            """,
        privateKey: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgWa7YgV/y7cvGE8pT
            pFZA5NeME3gccshC7WQ4scGll/ShRANCAAT/4BcM4fih8csAps6ZYkeTCg0BPBZI
            MMC92nxSSp2GmOmArlpSLfsYBsEOGX6zW1rX6hJj+L+hZ2Wc9QpKZWZP
            -----END PRIVATE KEY-----
            """
    )

    /// Valid until 2126, and shown by no server unless a test says so: what a client trusts that trusts none of the others.
    package static let other = RedisTestCertificate(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBozCCAUmgAwIBAgIRAOpzpyaweuOIwUIHw1EVj+gwCgYIKoZIzj0EAwIwITEf
            MB0GA1UEAwwWb3RoZXIucmVkaXMuaG9hcmQudGVzdDAgFw0yNjAxMDEwMDAwMDBa
            GA8yMTI2MTIzMTAwMDAwMFowITEfMB0GA1UEAwwWb3RoZXIucmVkaXMuaG9hcmQu
            dGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABKK7c+ai5u1EtHExgb8f2WtN
            n/4tGH0OzrJcN+MzGFtinuqakQNtz6bNt6F/EtyVyO+BC/A5oDxikWFGtdubyKKj
            YDBeMA8GA1UdEwEB/wQFMAMBAf8wLAYDVR0RBCUwI4IJbG9jYWxob3N0ghByZWRp
            cy5ob2FyZC50ZXN0hwR/AAABMB0GA1UdDgQWBBQ6ZkrbKE5nS3Nt85WC4B83OsUE
            QzAKBggqhkjOPQQDAgNIADBFAiEA60Tj9/Gfs2Vhn1C5tSukV+yFoBLVrH0KD17n
            NHcTTXwCIFU2RIaUGlVFKhVhIfi/vHf5fQlj64oSaqtOx36w6Tcv
            -----END CERTIFICATE-----
            """,
        privateKey: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgBlIUXeSDpY5iioWs
            fNga6+2nYUySzhawADrrQB9J9V+hRANCAASiu3PmoubtRLRxMYG/H9lrTZ/+LRh9
            Ds6yXDfjMxhbYp7qmpEDbc+mzbehfxLclcjvgQvwOaA8YpFhRrXbm8ii
            -----END PRIVATE KEY-----
            """
    )
}
