// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployments

import (
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/markdown"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Report is the latest that a context says of a commit.
type Report struct {
	Context, Description string
	State                HealthState
}

// maxWords is how much is told of what a report says: it stands at every package.
const maxWords = 200

// HealthOf returns what reports say together: the gravest of them, and the contexts that
// say it with their words. Without any, nothing is known.
func HealthOf(reports []Report) Health {
	for _, state := range []HealthState{Unhealthy, Progressing} {
		var told []string
		for _, r := range reports {
			if r.State != state {
				continue
			}
			text := markdown.Shorten(r.Context, maxWords)
			if said := strings.TrimSpace(r.Description); said != "" {
				text += ": " + markdown.Shorten(credential.Redact(said), maxWords)
			}
			told = append(told, text)
		}
		if len(told) > 0 {
			slices.Sort(told)
			return Health{State: state, Reason: wording.First(slices.Compact(told), maxListed)}
		}
	}
	if len(reports) == 0 {
		return Health{}
	}
	return Health{State: Healthy}
}
