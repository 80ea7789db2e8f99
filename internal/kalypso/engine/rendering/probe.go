// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/output"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// Probe renders an assignment with other texts. It returns the name of the first YAML file
// whose meaning differs from the rendered file, or that cannot be compared. Its work counts
// only for the bound of the workspace's probes. Errors: as of Render.
func (r *Renderer) Probe(ctx context.Context, a *placement.Assignment, c *composition.Config, rendered []tree.Entry) (name string,
	sameness output.Sameness, err error) {
	if err := cmp.Or(ctx.Err(), r.Exceeded(a.Target.Workspace)); err != nil {
		return "", output.Same, err
	}
	others, steps, _, err := r.render(ctx, a, c)
	if err == nil {
		for _, f := range rendered {
			i := slices.IndexFunc(others, func(o tree.Entry) bool { return o.Name == f.Name })
			if i < 0 || !strings.HasSuffix(f.Name, ".yaml") || bytes.Equal(f.Content, others[i].Content) {
				continue
			}
			steps += len(f.Content) // reading a byte as YAML takes about a step
			if sameness = output.Compare(f.Content, others[i].Content); sameness != output.Same {
				name = f.Name
				break
			}
		}
	}
	r.probes.add(a.Target.Workspace, steps, 0)
	return name, sameness, err
}
