// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// A note comes back as it was, and is told apart from objects by its first line alone.
func TestNote(t *testing.T) {
	t.Parallel()
	for _, problems := range []problem.List{
		{{Summary: "Another", Detail: "..."}},
		{
			{Summary: "Invalid YAML", Subject: "Workload/\"x\"", Where: "a: b#c, line 3", Detail: "It's\n--- broken: {{ x }}\n# \u00e4\ttab"},
			{Summary: "Another", Detail: "..."},
		},
	} {
		in := manifest.Note{Meta: manifest.Meta{Kind: manifest.KindNote, Name: "https://git.example/a#main:x: y.yaml"}, Problems: problems}
		texts := []manifest.Text{{Name: "m[0]", Text: "apiVersion: v1\nkind: Secret\n"}, {Name: "m[1]", Text: in.Text()}}
		objects, err := manifest.Decode(texts)
		notes := manifest.Of[*manifest.Note](objects)
		if err != nil || len(objects) != 1 || len(notes) != 1 || notes[0].Source.Name != "m[1]" {
			t.Fatalf("%v, %v", objects, err)
		}
		if diff := cmp.Diff(&in, notes[0], cmpopts.IgnoreFields(manifest.Meta{}, "Source")); diff != "" {
			t.Errorf("note (-want +got):\n%s", diff)
		}

		// What lost its first line does not vanish, and no file can hold a note.
		_, body, _ := strings.Cut(in.Text(), "\n")
		for name, text := range map[string]string{"no first line": body, "behind others": "a: b\n---\n" + in.Text(), "of a " +
			"file": manifest.OfFile("x", in.Text())} {
			if _, err := manifest.Decode([]manifest.Text{{Text: text}}); err == nil || !strings.Contains(err.Error(), "SourceNote") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, _, err := manifest.Objects(manifest.Text{Text: in.Text()}); err == nil {
			t.Error("a file holds a note")
		}
	}
}

func TestNoteWithMistakes(t *testing.T) {
	t.Parallel()
	const first = "# From kalypso_control_plane\n"
	for _, text := range []string{first, first + "a: [\n", first + "kind: Workload\nmetadata: {name: x}\n", first + "kind: " +
		"SourceNote\n", first + "[]\n",
		first + "kind: SourceNote\nmetadata: {name: x}\nspec: {problems: 1}\n",
		first + "kind: SourceNote\nmetadata: {name: x}\nspec: {problems: []}\n"} {
		if _, err := manifest.Decode([]manifest.Text{{Name: "m[2]", Text: text}}); err == nil || !strings.Contains(err.Error(), "m[2]") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
