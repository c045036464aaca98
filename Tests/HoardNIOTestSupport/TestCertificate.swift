// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
package import HoardNIO
package import NIOSSL

/// Certificates for `localhost` and 127.0.0.1 that only these tests trust, each signed with its own key. Unless
/// they say otherwise, they are valid until 2126.
package struct TestCertificate: Sendable {
    package let certificate: String
    package let privateKey: String

    package static let first = TestCertificate(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBrzCCAVWgAwIBAgIUEWQuCPgCZM3xo/mKeiW9bodAnQ8wCgYIKoZIzj0EAwIw
            FzEVMBMGA1UEAwwMYS5ob2FyZC50ZXN0MCAXDTI2MTEyMjAyNDAwN1oYDzIxMjYx
            MDI5MDI0MDA3WjAXMRUwEwYDVQQDDAxhLmhvYXJkLnRlc3QwWTATBgcqhkjOPQIB
            BggqhkjOPQMBBwNCAASU00RkX68h0eOtqMUN+rKuI270BMNeNtCyfYM4wKYJ8yXD
            CI7ZyZ+wv6VNUhzmF52qDM0MD+ZigYeiVxOx6yyfo30wezAdBgNVHQ4EFgQUBRSy
            BZ818cxD6SD7Lo23mOx74mMwHwYDVR0jBBgwFoAUBRSyBZ818cxD6SD7Lo23mOx7
            4mMwDwYDVR0TAQH/BAUwAwEB/zAoBgNVHREEITAfgglsb2NhbGhvc3SCDGEuaG9h
            cmQudGVzdIcEfwAAATAKBggqhkjOPQQDAgNIADBFAiEAi6iXshqY9+YOoT/XbqCQ
            4T8TNycBpjtKKEKrDipe+i8CIEctYyZg2HKIDq1RoWK9msxafdmdYbQaJU2Npsov
            yUU2
            -----END CERTIFICATE-----
            """,
        privateKey: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgWJdpnPP1/yQBH6PU
            ZNIdqPa7W4k9FJcejnipKyeC7eehRANCAASU00RkX68h0eOtqMUN+rKuI270BMNe
            NtCyfYM4wKYJ8yXDCI7ZyZ+wv6VNUhzmF52qDM0MD+ZigYeiVxOx6yyf
            -----END PRIVATE KEY-----
            """
    )

    package static let second = TestCertificate(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBrjCCAVWgAwIBAgIUES+5zsCf3FIrVAS7tpHYvJhGEG4wCgYIKoZIzj0EAwIw
            FzEVMBMGA1UEAwwMYi5ob2FyZC50ZXN0MCAXDTI2MTEyMjAyNDAwN1oYDzIxMjYx
            MDI5MDI0MDA3WjAXMRUwEwYDVQQDDAxiLmhvYXJkLnRlc3QwWTATBgcqhkjOPQIB
            BggqhkjOPQMBBwNCAATCfFqHanz1SPGUSBRt/wsfLVd3NZ5J3VBSSEVkCgvTCkM7
            SMjjZdcNAwgq50rhrmsluqd/eOoPhcleYS+Hg/oVo30wezAdBgNVHQ4EFgQUXSpR
            kGkikhNj5KeENI6900YByP8wHwYDVR0jBBgwFoAUXSpRkGkikhNj5KeENI6900YB
            yP8wDwYDVR0TAQH/BAUwAwEB/zAoBgNVHREEITAfgglsb2NhbGhvc3SCDGIuaG9h
            cmQudGVzdIcEfwAAATAKBggqhkjOPQQDAgNHADBEAiBjkYmKY2sInECdN3K7fTEo
            GtD479th0VUow2wOUa+TAgIgc817RhUULtw//F5HiA+/CwYtdYR6QM/dTuuTt8cK
            fsA=
            -----END CERTIFICATE-----
            """,
        privateKey: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgoakS9RnsPJHwsd+9
            gDl8T8kLKtULsuQ47NPb1CmOec2hRANCAATCfFqHanz1SPGUSBRt/wsfLVd3NZ5J
            3VBSSEVkCgvTCkM7SMjjZdcNAwgq50rhrmsluqd/eOoPhcleYS+Hg/oV
            -----END PRIVATE KEY-----
            """
    )

    /// Was valid in the year 2020.
    package static let expired = TestCertificate(
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

    package var loaded: TLSCredentials.Loaded {
        get throws {
            TLSCredentials.Loaded(
                chain: try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8)),
                privateKey: try NIOSSLPrivateKey(bytes: Array(privateKey.utf8), format: .pem)
            )
        }
    }

    package var credentials: TLSCredentials { TLSCredentials { try loaded } }

    /// The configuration with which a server shows this certificate.
    package func serverConfiguration() throws -> TLSConfiguration {
        let loaded = try loaded
        return .makeServerConfiguration(certificateChain: loaded.chain.map { .certificate($0) }, privateKey: .privateKey(loaded.privateKey))
    }

    /// Writes the certificate and the key to files, as PEM.
    package func write(certificatePath: String, keyPath: String) throws {
        try Data(certificate.utf8).write(to: URL(filePath: certificatePath))
        try Data(privateKey.utf8).write(to: URL(filePath: keyPath))
    }

    /// Gives `body` the path of a file with the certificate, which is there until `body` is over.
    package func withFile<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        let file = FileManager.default.temporaryDirectory.appending(path: "hoard-\(UUID().uuidString).pem")
        try Data(certificate.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await body(file.path)
    }

    /// The context with which a client trusts these certificates.
    ///
    /// - Parameters:
    ///   - verifies: Whether the server's certificate has to be for the host that is asked for.
    ///   - identity: The certificate with which it proves its identity, if it is asked.
    package static func clientContext(
        protocols: [String] = [],
        verifies: Bool = true,
        identity: TestCertificate? = nil,
        _ change: (inout TLSConfiguration) -> Void = { _ in }
    ) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let loaded = try identity?.loaded {
            configuration.certificateChain = loaded.chain.map { .certificate($0) }
            configuration.privateKey = .privateKey(loaded.privateKey)
        }
        if !verifies { configuration.certificateVerification = .noHostnameVerification }
        configuration.trustRoots = .certificates(try first.loaded.chain + second.loaded.chain)
        configuration.applicationProtocols = protocols
        change(&configuration)
        return try NIOSSLContext(configuration: configuration)
    }

    /// The bytes of its DER in Base64.
    package var base64: String { get throws { Data(try loaded.chain[0].toDERBytes()).base64EncodedString() } }
}
