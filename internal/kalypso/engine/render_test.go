// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
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
