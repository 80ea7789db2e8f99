// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest_test

import (
	"strings"
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
	const kind = "kind: GitOpsRepo, apiVersion: scheduler.kalypso.io/v1alpha1"
	const config = "{kind: ConfigMap, metadata: {name: azure-app-config}, data: {x: "
	one := kalypso("GitOpsRepo", "metadata: {name: one}", "spec: {repo: r, branch: b}")
	two := kalypso("GitOpsRepo", "metadata: {name: two}", "spec: {repo: r, branch: b}")
	for name, test := range map[string]struct {
		left, right []manifest.Text
		want        bool
	}{
		"comments":             {texts("# one\n" + one + "# x\n"), texts(one), true},
		"order of documents":   {texts(one + "---\n" + two), texts(two, one), true},
		"order of keys":        {texts(one), texts("{spec: {branch: b, repo: r}, metadata: {name: one}, " + kind + "}"), true},
		"empty documents":      {texts("---\n---\n"+one, "# nothing\n"), texts(one), true},
		"another object":       {texts(one), texts(two), false},
		"another value":        {texts(one), texts(strings.Replace(one, "repo: r", "repo: s", 1)), false},
		"another ConfigMap":    {texts("{kind: ConfigMap, metadata: {name: a}}"), texts("{kind: ConfigMap, metadata: {name: b}}"), false},
		"text in an object":    {texts(config + "\"# one\\n\"}}"), texts(config + "\"# two\\n\"}}"), false},
		"twice":                {texts(one, one), texts(one), false},
		"broken, equal":        {texts("{"), texts("{"), true},
		"broken, another text": {texts("{"), texts("{ # x"), false},
		"a note":               {texts("# From kalypso_control_plane\n" + one), texts(one), false},
	} {
		if got := manifest.Same(test.left, test.right); got != test.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}
