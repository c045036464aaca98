// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension HTTPDecision {
    /// Every reason there is, by kind.
    package static let catalogue: [Self] =
        [stored, storedForGet, storedPart]
        + [combined, completed]
        + [validated, validatedNotKept, updatedByHead]
        + Storability.Reason.allReasons.map { Self($0) }
        + [clientCondition, notModifiedForClient]
        + [fresh, collapsed, confirmed]
        + [uriMiss, varyMiss, stale, responseNoCache, requestNoCache, requestMaxAge, requestMinFresh, incomplete]
        + [method, content, originCondition, requestNoStore, modeNoStore, policyBypass, modeReload, modeNoCache]
        + [wrongNotModified, unusablePart]
        + StalePermission.allCases.map { Self($0) }
        + [modeForced]
        + [onlyIfCached, unsatisfiable]
        + [unsafeMethod, superseded, headDiffers]
}
