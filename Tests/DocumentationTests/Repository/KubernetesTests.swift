// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The manifests fit together, and fit the behaviour of the proxy. No cluster has run them here.
@Suite struct KubernetesTests {
    private static func manifests() throws -> [String: YAMLValue] {
        let documents = try Repository.text("dist/kubernetes/hoard.yaml").components(separatedBy: "\n---\n")
        return try documents.reduce(into: [:]) { manifests, text in
            let manifest = try YAMLValue(yaml: text)
            manifests[manifest["kind"]?.text ?? ""] = manifest
        }
    }

    @Test func partsNameEachOther() throws {
        let manifests = try Self.manifests()
        #expect(manifests.keys.sorted() == ["ConfigMap", "Deployment", "NetworkPolicy", "PodDisruptionBudget", "Service"])
        for manifest in manifests.values {
            #expect(manifest["metadata"]?["name"]?.text == "hoard" && manifest["apiVersion"]?.text?.isEmpty == false)
        }
        let pod = try #require(manifests["Deployment"]?["spec"]?["template"])
        let label = pod["metadata"]?["labels"]?["app"]?.text ?? manifests["Deployment"]?["spec"]?["selector"]?["matchLabels"]?["app"]?.text
        #expect(manifests["Service"]?["spec"]?["selector"]?["app"]?.text == label)
        #expect(pod["metadata"]?["labels"]?["app"]?.text == label, "a pod without labels is found by nobody")
        let container = try #require(pod["spec"]?["containers"]?.list?.first)
        let ports = container["ports"]?.list?.compactMap { $0["name"]?.text } ?? []
        #expect(ports == ["http", "admin"])
        #expect(manifests["Service"]?["spec"]?["ports"]?.list?.first?["targetPort"]?.text == "http")
        let mounts = container["volumeMounts"]?.list?.compactMap { $0["name"]?.text } ?? []
        #expect(mounts == pod["spec"]?["volumes"]?.list?.compactMap { $0["name"]?.text })
    }

    @Test func probesAskForWhatThereIs() throws {
        let container = try #require(try Self.manifests()["Deployment"]?["spec"]?["template"]?["spec"]?["containers"]?.list?.first)
        let document = try Repository.text("docs/proxy-administration.md")
        for (probe, path) in [("readinessProbe", "/readyz"), ("livenessProbe", "/healthz")] {
            #expect(container[probe]?["httpGet"]?["path"]?.text == path && container[probe]?["httpGet"]?["port"]?.text == "admin")
            #expect(document.contains("| `GET \(path)` |"))
        }
    }

    @Test func podHasTimeToEnd() throws {
        let manifests = try Self.manifests()
        let settings = try YAMLValue(yaml: manifests["ConfigMap"]?["data"]?["proxy.yaml"]?.text ?? "")
        let pod = try #require(manifests["Deployment"]?["spec"]?["template"]?["spec"])
        let seconds = { (value: YAMLValue?) in Int(value?.text?.filter(\.isNumber) ?? "") ?? 0 }
        let before = seconds(pod["containers"]?.list?.first?["lifecycle"]?["preStop"]?["sleep"]?["seconds"])
        #expect(before > 0 && seconds(settings["grace-period"]) > 0)
        #expect(seconds(pod["terminationGracePeriodSeconds"]) >= before + seconds(settings["grace-period"]))
        // Ports below 1024 need a right that the pod gives up.
        #expect(settings["listen"]?.text == "0.0.0.0:8080" && settings["admin"]?["address"]?.text == "0.0.0.0:9090")
    }
}
