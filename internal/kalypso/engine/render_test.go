// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/rendering"
)

// A template that writes too much is an error of the run, not a failure of its package, which could
// then be kept. It ends the run, because the packages of other assignments would cost as much. So
// does the end of the context, which a loop that writes obeys.
func TestTooLong(t *testing.T) {
	t.Parallel()
	for text, test := range map[string]struct {
		time time.Duration
		want string
	}{
		"{{ range 1000000000 }}{{ \"\" }}{{ end }}":      {10 * time.Millisecond, "context deadline exceeded. Assignment: edge/app-live"},
		`{{ range 3 }}{{ repeat 9000000 "x" }}{{ end }}`: {time.Hour, "the output of the package exceeds 16 MiB. Assignment: edge/app-live"},
	} {
		edge := &manifest.ClusterType{Meta: manifest.Meta{Name: "edge"}, Reconciler: "loop", NamespaceService: "loop"}
		f := &fleet.Fleet{Environment: "prod", ClusterTypes: []*manifest.ClusterType{edge}, Templates: map[string]*manifest.Template{
			"loop": {Meta: manifest.Meta{Kind: manifest.KindTemplate, Name: "loop"}, Manifests: []string{text}},
		}}
		renderer, err := rendering.New(f)
		if err != nil {
			t.Fatal(err)
		}
		assignment := &placement.Assignment{Target: &fleet.Target{FullName: "app-live"}, ClusterType: edge}
		ctx, cancel := context.WithTimeout(t.Context(), test.time)
		packages, err := workers{composition.New(f), renderer}.render(ctx, slices.Repeat([]*placement.Assignment{assignment}, 1000), nil)
		want := "Template/loop: Manifest 1 cannot be rendered: " + test.want
		if err == nil && ctx.Err() != nil { // The time was up before the first assignment.
			err, want = ctx.Err(), "context deadline exceeded"
		}
		cancel()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v", err)
		}
		for _, p := range packages {
			if len(p.problems) > 0 {
				t.Errorf("the package fails: %v", p.problems)
			}
		}
	}
}

// A template or a schema that does not end is named when the time is up.
func TestWhatDoesNotEnd(t *testing.T) {
	t.Parallel()
	const fleet = `{apiVersion: scheduler.kalypso.io/v1alpha1, kind: ClusterType, metadata: {name: edge}, spec: {reconciler: loop, namespaceService: loop}}
---
{apiVersion: scheduler.kalypso.io/v1alpha1, kind: Workload, metadata: {name: app, labels: {workspace: team}}, spec: {deploymentTargets: [{name: live, environment: prod}]}}
---
{apiVersion: scheduler.kalypso.io/v1alpha1, kind: SchedulingPolicy, metadata: {name: all}, spec: {deploymentTargetSelector: {workspace: team}, clusterTypeSelector: {labelSelector: {}}}}
---
`
	const template = `{apiVersion: scheduler.kalypso.io/v1alpha1, kind: Template, metadata: {name: loop}, spec: {type: reconciler, manifests: ["%s"]}}
---
`
	schema := `{"$ref": "#/definitions/a0", "definitions": {`
	for level := range 6 {
		schema += fmt.Sprintf(`"a%d": {"allOf": [%s{"$ref": "#/definitions/a%d"}]}, `, level, strings.Repeat(fmt.Sprintf(
			`{"$ref": "#/definitions/a%d"},`, level+1), 30), level+1)
	}
	for want, objects := range map[string]string{
		"It stopped at Template/loop (fleet, line 7): Manifest 1 cannot be rendered": fmt.Sprintf(template, `{{ range 1000000000 }}{{ true }}{{ end }}`),
		"ConfigSchema/endless was not checked to the end": fmt.Sprintf(template, "a: b") + "{apiVersion: scheduler.kalypso.io/v1alpha1, " +
			"kind: ConfigSchema, metadata: {name: endless}, spec: {schema: '" + schema + `"a6": true}}'}}`,
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		_, err := Compute(ctx, Input{Environment: "prod", Manifests: []manifest.Text{{Name: "fleet", Text: fleet + objects}}})
		cancel()
		if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("want %s, got %v", want, err)
		}
	}
}
