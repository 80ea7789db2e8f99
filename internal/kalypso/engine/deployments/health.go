// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployments

import (
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Status is the latest report of a context about a commit.
type Status struct {
	Context, Description string
	State                HealthState
}

// clusterType returns the cluster type of an environment that the report is about. If
// clusters are connected as docs/guides/connect-clusters.md describes, contexts are
// kalypso/<environment>/<cluster type>/<cluster>. It returns "" for all other contexts,
// which may be about every cluster type.
func (r Status) clusterType(environment string, known map[string]Health) string {
	parts := strings.Split(r.Context, "/")
	if len(parts) != 4 || parts[0] != "kalypso" || parts[1] != environment || parts[3] == "" {
		return ""
	}
	if _, ok := known[parts[2]]; !ok {
		return ""
	}
	return parts[2]
}

// HealthIn returns the health of each cluster type of an environment. It counts reports
// whose context names the cluster type, and reports whose context names no cluster type.
func HealthIn(environment string, clusterTypes []string, reports []Status) map[string]Health {
	healths := map[string]Health{}
	for _, name := range clusterTypes {
		healths[name] = Health{}
	}
	about := map[string][]Status{}
	for _, r := range reports {
		of := r.clusterType(environment, healths)
		about[of] = append(about[of], r)
	}
	all := HealthOf(about[""])
	for name := range healths {
		healths[name] = all
		if own := about[name]; len(own) > 0 {
			healths[name] = HealthOf(slices.Concat(own, about[""]))
		}
	}
	return healths
}

// state returns the state as which the report counts. An unknown state is in progress, and
// never a success.
func (r Status) state() HealthState {
	if r.State == Healthy || r.State == Unhealthy {
		return r.State
	}
	return Progressing
}

// maxWords limits the visible part of a report's text, because every package repeats the
// text.
const maxWords = 200

// HealthOf returns the health that reports show together: the worst state, and the contexts
// with this state, with their texts. Without reports, the health is unknown.
func HealthOf(reports []Status) Health {
	for _, state := range []HealthState{Unhealthy, Progressing} {
		var told []string
		for _, r := range reports {
			if r.state() != state {
				continue
			}
			text := wording.Shorten(wording.Line(r.Context), maxWords)
			if said := wording.Line(r.Description); said != "" {
				text += ": " + wording.Shorten(credential.Redact(said), maxWords)
			}
			told = append(told, text)
		}
		if len(told) > 0 {
			slices.Sort(told)
			return Health{State: state, Reason: wording.First(slices.Compact(told), wording.MaxListed)}
		}
	}
	if len(reports) == 0 {
		return Health{}
	}
	return Health{State: Healthy}
}
