// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
)

// BreakingOut is a text of a deployment target that ends the YAML scalar that a template
// writes it into.
type BreakingOut struct {
	Target *fleet.Target
	// Key is that of the text among the target's manifests.
	Key string
	// File is the path of a rendered file that shows it.
	File string
	// Unchecked is set if the file cannot be read as YAML, or if there are too many texts.
	Unchecked bool
}

// breakingOut names texts of deployment targets that may become lines, documents or
// actions of a template of their own, whatever the template is. It also names those that
// end a scalar in a rendered file. With such a text, the author of a workload would get
// rights that the platform team did not give.
func breakingOut(targets []*fleet.Target, out []BreakingOut) []Finding {
	var found []Finding
	told := map[string]bool{} // by subject
	tell := func(t *fleet.Target, key, what string) {
		subject := subjectOfText(t, key)
		if !told[subject] {
			told[subject] = true
			found = append(found, newFinding(TextBreaksOut, subject, fmt.Sprintf("The text %.60q among the manifests of deployment target %s %s",
				key, t.FullName, what)))
		}
	}
	for _, t := range targets {
		for key, value := range t.Manifests {
			if holds := Breaker(key, value); holds != "" {
				cure := "Write the text without it."
				if holds == lastLineBreak {
					cure = "Write the text without it: by |- or >- in place of | or >, which keep the line break."
				}
				tell(t, key, "holds "+holds+", with which the workload may add lines and objects of its own to what templates write. "+cure)
			}
		}
	}
	for _, b := range out {
		if b.Unchecked {
			tell(b.Target, b.Key, "cannot be checked, so it is not known whether it stays in its place: what it is written into is not valid YAML, "+
				"or too large, or the target has too many suspicious texts: "+b.File+". Correct the template, or change the text.")
			continue
		}
		tell(b.Target, b.Key,
			"ends the YAML value that a template writes it into, "+
				"so that the workload may add keys and objects of its own: "+b.File+". Have the template write it by quote, "+
				"or hold it to the characters that it needs (regexMatch, fail), or change the text.")
	}
	return found
}

// OfTargets returns the findings that refuse the texts of deployment targets themselves:
// TEXT_BREAKS_OUT and CREDENTIAL. out are the texts that break out of rendered files.
func OfTargets(targets []*fleet.Target, out []BreakingOut) []Finding {
	return slices.Concat(breakingOut(targets, out), credentialsOf(targets))
}

// subjectOfText returns the subject of a finding about a text of a deployment target.
func subjectOfText(t *fleet.Target, key string) string {
	return "DeploymentTarget/" + t.FullName + "/" + subjectOf(key)
}

// TargetOf returns the full name of the deployment target that a finding of OfTargets is about.
func TargetOf(f Finding) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(f.Subject, "DeploymentTarget/"), "/")
	return name
}

// maxSubject is how long a key may be in a subject.
const maxSubject = 63

// subjectOf returns a key as a subject names it: in one line, and a long one by its digest.
func subjectOf(key string) string {
	quoted := strconv.Quote(key)
	if quoted = quoted[1 : len(quoted)-1]; len(quoted) <= maxSubject {
		return quoted
	}
	return fmt.Sprintf("sha256-%x", sha256.Sum256([]byte(key)))
}

const lastLineBreak = "a line break at its end"

// Breaker names what a key or value holds that no template may write as it is; empty if
// they hold nothing of that. YAML ends a line at each of the line breaks, and output with two
// braces is rendered again: a brace at the end may become the first of them.
func Breaker(key, value string) string {
	for _, text := range []string{key, value} {
		lines := strings.TrimRight(text, "\n")
		switch {
		case strings.Contains(text, "{{"):
			return "two opening braces"
		case strings.HasSuffix(text, "{"):
			return "an opening brace at its end"
		case strings.ContainsAny(lines, "\n\r\u0085\u2028\u2029"):
			return "a line break"
		case strings.ContainsFunc(lines, unicode.IsControl), strings.Contains(text, "\ufeff"):
			return "a control character"
		case lines != text:
			return lastLineBreak
		}
	}
	return ""
}

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
