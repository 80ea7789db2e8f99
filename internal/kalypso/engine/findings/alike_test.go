// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// One parse for many files says the same as a parse of each, whatever the names do to an object.
func TestReaderOfAlikeFiles(t *testing.T) {
	t.Parallel()
	targets := []string{"web-live", "web", "edge", "7-eleven", "on", "shop-edge-live", "pay-0", "pay--0", strings.Repeat("a", 60), "true-live",
		"Web-live", "web.live", "1e5"}
	clusterTypes := []string{"edge", "large", "web", "yes", "0", "no", "small", "e-1", "web-live", "live"}
	templates := []string{
		"{apiVersion: v1, kind: Namespace, metadata: {name: prod-CT-TARGET}}",
		"apiVersion: v1\nkind: Service\nmetadata:\n  name: TARGET\n  namespace: prod-CT-TARGET\nspec:\n  ports: [{name: TARGET, port: 80}]\n",
		"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config\n  labels:\n    of: CT\ndata:\n  of: TARGET\n",
		"{apiVersion: v1, kind: Secret, metadata: {name: TARGET}, data: {a: Yg==}}", "{kind: List, apiVersion: v1, items: [{kind: CT}]}",
		"a: [", "apiVersion: CT/v1\nkind: TARGET\nmetadata: {name: CT-and-TARGET, namespace: xCT}\n",
	}
	random, shared := rand.New(rand.NewPCG(1, 2)), &reader{}
	same := []cmp.Option{cmp.AllowUnexported(object{}), cmpopts.EquateEmpty()}
	for range 5_000 {
		n := Names{targets[random.IntN(len(targets))], clusterTypes[random.IntN(len(clusterTypes))]}
		text := []byte(strings.NewReplacer("TARGET", n.Target, "CT", n.ClusterType).Replace(templates[random.IntN(len(templates))]))
		got := shared.read(n, text)
		want, err := readObjects(text)
		if d := cmp.Diff(want, got.objects, same...); d != "" || (err == nil) != (got.err == nil) {
			t.Fatalf("%v: (-want +got):\n%s%v, want %v\n%s", n, d, got.err, err, text)
		}
	}
}
