// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
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

// writtenNote is a note in YAML.
type writtenNote struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       Kind
	Metadata   struct{ Name string }
	Spec       struct {
		Workspace string `yaml:",omitempty"`
		Problems  problem.List
	}
}

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

// note returns the note that a text is, and whether it is one.
func (in Text) note() (*Note, bool, error) {
	if !strings.HasPrefix(in.Text, noteComment) {
		return nil, false, nil
	}
	var e writtenNote
	if err := yaml.Unmarshal([]byte(in.Text), &e); err != nil || e.Kind != KindNote || e.Metadata.Name == "" || len(e.Spec.Problems) == 0 {
		return nil, true, problem.Problem{Summary: "Invalid YAML", Where: in.Name, Detail: fmt.Sprintf(
			"The text begins as a note of kalypso_control_plane and is not one. Pass its manifests on unchanged. (%v)", err)}
	}
	return &Note{Meta: Meta{Kind: KindNote, Name: e.Metadata.Name, Source: in.at(1)}, Workspace: e.Spec.Workspace, Problems: e.Spec.Problems}, true, nil
}
