// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema_test

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// BenchmarkCheck measures the check of one object that is parsed, with its schema compiled.
func BenchmarkCheck(b *testing.B) {
	for name, text := range map[string]string{
		"Deployment": deployment,
		"Kustomization": "{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: web}, spec: {interval: 1m, " +
			"prune: true, sourceRef: {kind: GitRepository, name: web}, postBuild: {substitute: {A: b}}}}",
	} {
		b.Run(name, func(b *testing.B) {
			var document yaml.Node
			if err := yaml.Unmarshal([]byte(text), &document); err != nil {
				b.Fatal(err)
			}
			object := apischema.Objects(&document)[0]
			b.ReportAllocs()
			for b.Loop() {
				apischema.Check(object)
			}
		})
	}
}

// BenchmarkDistinct measures the worst case: a thousand Deployments that all differ, with
// schemas and without.
func BenchmarkDistinct(b *testing.B) {
	texts := make([][]byte, 1000)
	for i := range texts {
		var env strings.Builder
		for bit := range 10 {
			from := fmt.Sprintf("valueFrom: {fieldRef: {fieldPath: spec.%d}}", i)
			if i>>bit&1 == 1 {
				from = fmt.Sprintf("value: \"%d\"", i)
			}
			fmt.Fprintf(&env, "            - {name: V%d, %s}\n", bit, from)
		}
		texts[i] = []byte(strings.Replace(deployment, "          env: [", "          env:\n"+env.String()+"          # [", 1))
	}
	for name, isChecked := range map[string]bool{"checked": true, "read": false} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for _, text := range texts {
					documents, err := yamlnode.Documents(text)
					if err != nil {
						b.Fatal(err)
					}
					if isChecked {
						apischema.Check(apischema.Objects(documents[0])[0])
					}
				}
			}
		})
	}
}
