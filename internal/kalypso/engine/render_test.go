// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/rendering"
)

// A template that takes too long is an error of the run, not a failure of its package, which
// could then be kept.
func TestTooLong(t *testing.T) {
	t.Parallel()
	f := &fleet.Fleet{Environment: "prod", Templates: map[string]*manifest.Template{
		"loop": {Meta: manifest.Meta{Kind: manifest.KindTemplate, Name: "loop"}, Manifests: []string{"{{ range 1000000000 }}{{ end }}"}},
	}}
	renderer, err := rendering.New(f)
	if err != nil {
		t.Fatal(err)
	}
	assignment := &placement.Assignment{Target: &fleet.Target{FullName: "app-live"},
		ClusterType: &manifest.ClusterType{Meta: manifest.Meta{Name: "edge"}, Reconciler: "loop", NamespaceService: "loop"}}
	packages, err := workers{composition.New(f), renderer, 10 * time.Millisecond}.render(t.Context(), []*placement.Assignment{assignment}, nil)
	if err == nil || !strings.Contains(err.Error(), "Template/loop: Manifest 1 cannot be rendered: line 1, column ") ||
		!strings.Contains(err.Error(), ": rendering the package takes more than 10s. Look for endless loops and recursion, and for loops over "+
			"large values. Assignment: edge/app-live") {
		t.Errorf("the error is %v", err)
	}
	if problems := packages[0].problems; len(problems) > 0 {
		t.Errorf("the package fails: %v", problems)
	}
}
