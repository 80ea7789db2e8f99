// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
)

// credentials names texts in ConfigMaps and templates that look like a credential. Every
// reader of the GitOps repository could read them there. The key of a value is part of the
// subject, so that the user can silence a false alarm for one value and no other.
func credentials(f *fleet.Fleet) []Finding {
	var found []Finding
	for _, c := range f.ConfigMaps {
		for _, key := range slices.Sorted(maps.Keys(c.Data)) {
			if reason := credential.Of(key, c.Data[key]); reason != "" {
				found = append(found, credentialIn(c.ID()+"/"+subjectOf(key), "The value of "+key, reason))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Templates)) {
		for i, text := range f.Templates[name].Manifests {
			if reason := credential.In(text); reason != "" {
				found = append(found, credentialIn(f.Templates[name].ID(), fmt.Sprintf("Manifest %d", i+1), reason))
			}
		}
	}
	return found
}

// credentialIn returns the finding about a place with a credential.
func credentialIn(subject, place, reason string) Finding {
	return newFinding(Credential, subject, fmt.Sprintf("%s %s. %s", place, reason, storeAdvice))
}

// credentialsOf names the texts of deployment targets that are credentials.
func credentialsOf(targets []*fleet.Target) []Finding {
	var found []Finding
	reasons := map[string]string{} // by value: targets have most in common
	for _, t := range targets {
		for _, key := range slices.Sorted(maps.Keys(t.Manifests)) {
			value := t.Manifests[key]
			reason, known := reasons[value]
			if !known {
				reason = credential.Token(value)
				reasons[value] = reason
			}
			if reason != "" {
				found = append(found, credentialIn(subjectOfText(t, key), "The value of manifests."+key, reason))
			}
		}
	}
	return found
}

const storeAdvice = "Who reads the repository can read it: write a reference to a secret store instead."
