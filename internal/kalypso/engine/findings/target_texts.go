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

// breakingOut names the texts of deployment targets that could end the value that a template
// writes them into, or begin something else. With such a text, the author of a workload would
// get rights that the platform team did not give.
func breakingOut(s *search) {
	for _, t := range s.Fleet.Targets {
		for key, value := range t.Manifests {
			holds, isAction := breaker(key)
			if holds == "" {
				holds, isAction = breaker(value)
			}
			if holds == "" {
				continue
			}
			cure := "Write the text without it, or silence the finding where the templates write this text by quote."
			effect := "the workload could add lines, keys or objects of its own to what templates write"
			if isAction {
				cure, effect = "Write the text without it.", "the text could become part of a template"
			}
			s.add(Finding{Subject: subjectOfText(t, key), Always: isAction, Message: fmt.Sprintf("The text %.60q among the manifests of "+
				"deployment target %s (%s) holds %s, so %s. %s", key, t.FullName, t.Source, holds, effect, cure)})
		}
	}
}

func subjectOfText(t *fleet.Target, key string) string {
	return "DeploymentTarget/" + t.FullName + "/" + subjectOf(key)
}

// TargetOf returns the full name of the deployment target that a finding is about; empty for another object.
func TargetOf(f Finding) string {
	name, isTarget := strings.CutPrefix(f.Subject, "DeploymentTarget/")
	if !isTarget {
		return ""
	}
	name, _, _ = strings.Cut(name, "/")
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

// breaker names what a text holds that may end or begin something where a template writes it
// (docs/guides/objects.md, "Texts of a deployment target"); "" if the text stays one value of one line everywhere
// in YAML. isAction reports whether the text would become part of a template.
func breaker(text string) (holds string, isAction bool) {
	trimmed := strings.Trim(text, " ")
	unprintable := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
	anywhere := strings.IndexAny(text, `"'\,[]{}`)
	switch {
	case strings.Contains(text, "{{"):
		return "two opening braces", true
	case strings.HasSuffix(text, "{"): // the first of two
		return "an opening brace at its end", true
	case strings.ContainsAny(text, "\n\r"):
		return "a line break (a block text has one at its end, unless it begins with |- or >-)", false
	case unprintable >= 0:
		return fmt.Sprintf("the character %U", []rune(text[unprintable:])[0]), false
	case anywhere >= 0:
		return "the character " + text[anywhere:anywhere+1], false
	case strings.Contains(text, ": "), strings.HasPrefix(trimmed, ":"), strings.HasSuffix(trimmed, ":"):
		return "a colon before a space, at its beginning or at its end", false
	case strings.Contains(text, " #"), strings.HasPrefix(text, "#"):
		return "the character # at its beginning or after a space", false
	case strings.IndexAny(trimmed, "-?*&!|>%@`") == 0:
		return "the character " + trimmed[:1] + " at its beginning", false
	}
	return "", false
}

// credentials names texts in ConfigMaps and templates that look like a credential. Every
// reader of the GitOps repository could read them there. The key of a value is part of the
// subject, so that the user can silence a false alarm for one value and no other.
func credentials(s *search) {
	for _, c := range s.Fleet.ConfigMaps {
		for _, key := range slices.Sorted(maps.Keys(c.Data)) {
			s.noteCredential(c.ID()+"/"+subjectOf(key), "The value of "+key, credential.Of(key, c.Data[key]))
		}
	}
	for _, template := range s.Fleet.Templates {
		for i, text := range template.Manifests {
			s.noteCredential(template.ID(), fmt.Sprintf("Manifest %d", i+1), credential.In(text))
		}
	}
}

func credentialsOfTargets(s *search) {
	type text struct{ key, value string }
	reasons := map[text]string{} // targets have most in common
	for _, t := range s.Fleet.Targets {
		for _, key := range slices.Sorted(maps.Keys(t.Manifests)) {
			of := text{key, t.Manifests[key]}
			reason, known := reasons[of]
			if !known {
				reason = credential.Of(of.key, of.value)
				reasons[of] = reason
			}
			s.noteCredential(subjectOfText(t, key), "The value of manifests."+key, reason)
		}
	}
}

// noteCredential records that something looks like a credential, unless there is no reason.
func (s *search) noteCredential(subject, what, reason string) {
	if reason != "" {
		s.note(subject, "%s %s.%s", what, reason, s.row.advice)
	}
}
