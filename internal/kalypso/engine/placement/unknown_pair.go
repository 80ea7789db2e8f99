// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package placement

import (
	"fmt"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/spelling"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// UnknownPair returns a problem.List that says which half of a pair does not exist in the
// environment, and which name was probably meant; nil if both halves exist.
func UnknownPair(f *fleet.Fleet, targetName, clusterTypeName string) error {
	var problems problem.List
	add := func(what, hint string) {
		problems.Add(problem.Problem{
			Summary: "Unknown assignment",
			Subject: Key(wording.Escaped(clusterTypeName), wording.Escaped(targetName)),
			Detail:  fmt.Sprintf("There is no %s. %s", what, hint),
		})
	}
	if _, exists := f.Target(targetName); !exists {
		names := make([]string, len(f.Targets))
		for i, t := range f.Targets {
			names[i] = t.FullName
		}
		hint := whatExists(targetName, "deployment target", names)
		if environments := f.Elsewhere[targetName]; len(environments) > 0 {
			hint = fmt.Sprintf("It belongs to environment %s.", wording.First(environments, maxOffered))
		}
		add(fmt.Sprintf("deployment target %s in environment %s", wording.Quoted(targetName), f.Environment), hint)
	}
	if _, exists := f.ClusterType(clusterTypeName); !exists {
		names := make([]string, len(f.ClusterTypes))
		for i, ct := range f.ClusterTypes {
			names[i] = ct.Name
		}
		add("cluster type "+wording.Quoted(clusterTypeName), whatExists(clusterTypeName, "cluster type", names))
	}
	return problems.Err()
}

// maxOffered is how many names a message offers if no name is similar.
const maxOffered = 5

// whatExists is the sentence that offers the name that was probably meant, or else the
// names that exist.
func whatExists(name, what string, known []string) string {
	if meant := spelling.DidYouMean(name, known); meant != "" {
		return strings.TrimSuffix(meant, " ")
	}
	if len(known) == 0 {
		return fmt.Sprintf("The manifests hold no %s for this environment.", what)
	}
	return fmt.Sprintf("The %ss are %s.", what, wording.First(known, maxOffered))
}
