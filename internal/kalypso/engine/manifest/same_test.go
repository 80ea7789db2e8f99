// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest_test

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

func TestSame(t *testing.T) {
	t.Parallel()
	texts := func(all ...string) (list []manifest.Text) {
		for _, text := range all {
			list = append(list, manifest.Text{Text: text})
		}
		return list
	}
	for name, test := range map[string]struct {
		left, right []manifest.Text
		want        bool
	}{
		"comments":             {texts("# one\nkind: A # x\n"), texts("kind: A\n"), true},
		"order of documents":   {texts("kind: A\n---\nkind: B\n"), texts("kind: B\n", "kind: A\n"), true},
		"order of keys":        {texts("{kind: A, spec: {x: 1, y: 2}}"), texts("{spec: {y: 2, x: 1}, kind: A}"), true},
		"empty documents":      {texts("---\n---\nkind: A\n", "# nothing\n"), texts("kind: A\n"), true},
		"value":                {texts("kind: A\n"), texts("kind: B\n"), false},
		"text in an object":    {texts("data: {x: \"# one\\n\"}"), texts("data: {x: \"# two\\n\"}"), false},
		"type":                 {texts("x: 1"), texts("x: \"1\""), false},
		"twice":                {texts("kind: A\n", "kind: A\n"), texts("kind: A\n"), false},
		"broken, equal":        {texts("{"), texts("{"), true},
		"broken, another text": {texts("{"), texts("{ # x"), false},
		"a note":               {texts("# From kalypso_control_plane\nkind: A\n"), texts("kind: A\n"), false},
	} {
		if got := manifest.Same(test.left, test.right); got != test.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}
