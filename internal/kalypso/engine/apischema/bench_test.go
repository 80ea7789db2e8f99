// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema_test

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/output"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/crd"
)

// BenchmarkCheck measures the check of one object that is parsed, with its schema compiled.
func BenchmarkCheck(b *testing.B) {
	schemas := schemasOf(b, crd.Definitions())
	for kind, text := range map[string]string{
		"apps/v1 Deployment": deployment,
		"kustomize.toolkit.fluxcd.io/v1 Kustomization": "{metadata: {name: web}, spec: {interval: 1m, prune: true, sourceRef: {kind: " +
			"GitRepository, name: web}, postBuild: {substitute: {A: b}}}}",
	} {
		version, name, _ := strings.Cut(kind, " ")
		b.Run(name, func(b *testing.B) {
			var document yaml.Node
			if err := yaml.Unmarshal([]byte(text), &document); err != nil {
				b.Fatal(err)
			}
			schema, object := schemas.Of(version, name), apischema.Objects(&document)[0]
			b.ReportAllocs()
			for b.Loop() {
				schema.Check(object)
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
	for name, schemas := range map[string]*apischema.Schemas{"checked": schemasOf(b, ""), "read": nil} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for _, text := range texts {
					if _, err := output.Read(text, schemas); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
