// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployments_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
)

// The unreadable parts of a package are not a difference, whatever the readable parts are.
func TestComparePartial(t *testing.T) {
	t.Parallel()
	const other = "---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: other}\nspec:\n  url: https://h/b\n  " +
		"ref: {branch: main}\n"
	values := func(data string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: " + data + "\n"
	}
	full := files{"namespace.yaml": namespace, "reconciler.yaml": reconciler + other, "platform-config.yaml": values("{A: x}") + "---\n" +
		values("{B: x}")}
	with := func(name, text string) files {
		f := files{name: text}
		for other, text := range full {
			if other != name {
				f[other] = text
			}
		}
		return f
	}
	at := func(clusterType string, f files) deployments.Package {
		p := read(f)
		p.ClusterType, p.DeploymentTarget = clusterType, "shop-live"
		return p
	}
	all := at("large", full)
	changed := strings.Replace(reconciler+other, "https://h/b", "https://h/c", 1)
	for name, test := range map[string]struct {
		prod []deployments.Package
		want []string
	}{
		"the same": {[]deployments.Package{all}, nil},
		"less": {[]deployments.Package{at("large", with("platform-config.yaml", values("{A: x}")))},
			[]string{"value shop on large: B = x in dev, not in prod"}},
		"a key twice": {[]deployments.Package{at("large", with("platform-config.yaml",
			values("{A: x}")+"---\n"+values("{A: x, B: x}")))}, nil},
		"a ConfigMap that is not valid": {[]deployments.Package{at("large", with("platform-config.yaml",
			values("{A: x}")+"---\n"+values("[1]")))}, nil},
		"a file that is not YAML": {[]deployments.Package{at("large", files{"namespace.yaml": namespace, "reconciler.yaml": reconciler +
			other, "platform-config.yaml": values("{A: x}"), "platform-config.yml": "a: b\nB: {{ .B }}: x\n"})}, nil},
		"a source that is not valid": {[]deployments.Package{at("large", with("reconciler.yaml",
			reconciler+strings.Replace(other, "{branch: main}", "main", 1)))}, nil},
		"another file with sources": {[]deployments.Package{at("large", files{"namespace.yaml": namespace, "reconciler.yaml": reconciler,
			"other.yaml": "{{ oops", "platform-config.yaml": full["platform-config.yaml"]})}, nil},
		"no workload": {[]deployments.Package{at("large", with("namespace.yaml", "{{ oops"))}, nil},
		"labels that are not valid": {[]deployments.Package{at("large", with("namespace.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: "+
			"{name: n, labels: [shop]}\n"))}, nil},
		"no workload of one more": {[]deployments.Package{at("large", with("platform-config.yaml", values("{A: y}"))),
			at("large", with("namespace.yaml", "{{ oops"))}, []string{"value shop on large: A = x in dev, y in prod"}},
		"no workload on another type": {[]deployments.Package{at("large", with("platform-config.yaml", values("{A: y}"))),
			at("small", with("namespace.yaml", "{{ oops"))}, []string{"value shop on large: A = x in dev, y in prod", "value shop on large: B = x " +
			"in dev, not in prod"}},
		"another source, and one may be": {[]deployments.Package{at("large", with("reconciler.yaml", changed)),
			at("small", with("namespace.yaml", "{{ oops"))}, []string{"source shop: source https://h/b#main in dev, https://h/c#main in prod"}},
		"a source less, and one may be": {[]deployments.Package{at("large", with("reconciler.yaml", reconciler)),
			at("small", with("namespace.yaml", "{{ oops"))}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dev, prod := environment("dev", all), environment("prod", test.prod...)
			if got := texts(compared(dev, prod)); !slices.Equal(test.want, got) {
				t.Errorf("(-want +got):\n%s", cmp.Diff(test.want, got))
			}
			dev.Name, prod.Name = prod.Name, dev.Name
			if got := texts(compared(dev, prod)); len(got) != len(test.want) {
				t.Errorf("the other way round: %q", got)
			}
		})
	}
}

// A part that a caller could not read has any content.
func TestReadPartial(t *testing.T) {
	t.Parallel()
	p := deployments.Read(map[string][]byte{"namespace.yaml": []byte(namespace)}, "reconciler.yaml: larger than 1 MiB")
	if want := (deployments.Partial{Workload: true, Sources: true, Values: true}); p.Partial != want || p.Workload != "shop" {
		t.Errorf("got %+v", p)
	}
	if p := read(whole); p.Partial != (deployments.Partial{}) {
		t.Errorf("got %+v", p)
	}
}

var whole = files{"namespace.yaml": namespace, "reconciler.yaml": reconciler, "platform-config.yaml": config, "descriptor.yaml": descriptor}
