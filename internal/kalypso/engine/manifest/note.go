// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// Note takes the place of a file or source of another team that cannot be read, among the manifests
// of a fleet. It is not part of the fleet, and a file cannot hold one: see noteComment.
type Note struct {
	Meta
	// Workspace is that of the registration that leads to the file.
	Workspace string
	// Problems say why the file or source of the note's name cannot be read.
	Problems problem.List
}

type writtenNote struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       Kind
	Metadata   struct{ Name string }
	Spec       noted
}

type noted struct {
	Workspace string `yaml:",omitempty"`
	Problems  problem.List
}

const kindIncomplete Kind = "IncompleteNote"

// noteComment is the first line of a note. Each manifest that comes from a source has another
// first line, so that no source can bring a note. A note that lost this line, for example in a
// join of manifests, is an object of an unknown kind.
const noteComment = "# From kalypso_control_plane\n"

// Text returns the note as a manifest of its own.
func (n *Note) Text() string {
	written := writtenNote{APIVersion: APIVersion, Kind: KindNote}
	written.Metadata.Name, written.Spec.Workspace, written.Spec.Problems = n.Name, n.Workspace, n.Problems
	return noteComment + write(written)
}

// Incomplete returns a manifest for others that could not be read while the provider was on hold. No fleet with
// it can be computed, so that nothing is removed that is only missing.
func Incomplete(why string) string {
	return noteComment + write(writtenNote{APIVersion: APIVersion, Kind: kindIncomplete, Spec: noted{Problems: problem.List{{
		Summary: "Incomplete manifests", Detail: "While the provider was on hold, kalypso_control_plane could not read everything: " +
			problem.Sentence(errors.New(why)) + " Plan again when everything can be read."}}}})
}

func (in Text) note() (*Note, bool, error) {
	if !strings.HasPrefix(in.Text, noteComment) {
		return nil, false, nil
	}
	var e writtenNote
	err := yaml.Unmarshal([]byte(in.Text), &e)
	switch {
	case err == nil && e.Kind == kindIncomplete && len(e.Spec.Problems) > 0:
		return nil, true, e.Spec.Problems
	case err != nil || e.Kind != KindNote || e.Metadata.Name == "" || len(e.Spec.Problems) == 0:
		return nil, true, problem.Problem{Summary: "Invalid YAML", Where: in.Name, Detail: fmt.Sprintf(
			"The text begins as a note of kalypso_control_plane and is not one. Pass its manifests on unchanged. (%v)", err)}
	}
	return &Note{Meta: Meta{Kind: KindNote, Name: e.Metadata.Name, Source: in.at(1)},
		Workspace: e.Spec.Workspace, Problems: e.Spec.Problems}, true, nil
}
