// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A certificate for `localhost` and 127.0.0.1 that its own key signed, and that key. They protect nothing: they are for tests only.
enum TestCertificate {
    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBoDCCAUWgAwIBAgIUCBmxVmjorUe2exlNJwdLuoJ3EQEwCgYIKoZIzj0EAwIw
        FjEUMBIGA1UEAwwLSG9hcmQgdGVzdHMwIBcNMjYxMTIxMDQyMDI2WhgPMjEyNjEw
        MjgwNDIwMjZaMBYxFDASBgNVBAMMC0hvYXJkIHRlc3RzMFkwEwYHKoZIzj0CAQYI
        KoZIzj0DAQcDQgAEtRB252P2qq+bRHVpgrXEizdcPLB7Xwilwnm9ALgJEire1HKP
        60kD7QoacRysd9lEV0rk3S/eJXKU/fMAdpVzCaNvMG0wHQYDVR0OBBYEFPxWVjG0
        lEYtA6ULsrPzfBCV7czxMB8GA1UdIwQYMBaAFPxWVjG0lEYtA6ULsrPzfBCV7czx
        MBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAPBgNVHRMBAf8EBTADAQH/MAoG
        CCqGSM49BAMCA0kAMEYCIQCtGt5tBISOTjwIfHMoa31G0bNW73OpCPTqwR1zsFTO
        8QIhAJckl1dUFwzBYjMUcxW26mWigYRmUbYDdBikOvvU2BFy
        -----END CERTIFICATE-----
        """

    static let privateKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgRSSAmOWM1jS2a9i3
        GkF8D0Ky0rbsuDceu01jOz9ZhQahRANCAAS1EHbnY/aqr5tEdWmCtcSLN1w8sHtf
        CKXCeb0AuAkSKt7Uco/rSQPtChpxHKx32URXSuTdL94lcpT98wB2lXMJ
        -----END PRIVATE KEY-----
        """
}
