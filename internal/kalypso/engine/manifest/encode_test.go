// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// generator makes random objects that are valid.
type generator struct{ *rand.Rand }

func (g generator) name() string {
	return g.pick("a", "arc-flux", "x1", "true", "no", "42", "1e3", "0x1f", "null", "2024-01-01")
}

// text makes strings that YAML could trip over. Their line ends are those of unix, which Decode makes.
func (g generator) text() string {
	pieces := []string{
		"a", "b: c", "{{ .X }}", " ", "  ", "\n", "\n\n", "\t", "\r", "#", "- ", "? ", "---\n", "...", "'", `"`, `\`, "é", "😀", "\u0085",
		"\u2028", "\ufeff",
		"\x00", "\x7f", "|", ">", "%", "@", "`", "*a", "&a", "!t", "<<", "[", "}", "~", "yes", "null", "1_000", "12:30:45", "\uffff", "\ue000",
		"=", ":", ",",
	}
	var b strings.Builder
	for range g.IntN(8) {
		b.WriteString(pieces[g.IntN(len(pieces))])
	}
	return strings.ReplaceAll(b.String(), "\r\n", "\n")
}

func (g generator) pick(words ...string) string { return words[g.IntN(len(words))] }

func (g generator) texts(key, value func() string) map[string]string {
	var m map[string]string
	for range g.IntN(4) {
		if m == nil {
			m = map[string]string{}
		}
		m[key()] = value()
	}
	return m
}

func (g generator) list(text func() string) []string {
	var l []string
	for range g.IntN(4) {
		l = append(l, text())
	}
	return l
}

func (g generator) labels() map[string]string {
	return g.texts(g.name, func() string { return g.pick("", g.name(), "a_b.c", "off", "Y") })
}

func (g generator) repo() manifest.RepoRef {
	return manifest.RepoRef{Repo: "r" + g.text(), Branch: g.text(), Path: g.text()}
}

func (g generator) schema() string {
	return g.pick(`{"type": "object"}`, "type: object\nrequired: [a]\n", "{\n}\n\n", "true")
}

func (g generator) selector() metav1.LabelSelector {
	s := metav1.LabelSelector{MatchLabels: g.labels()}
	for range g.IntN(3) {
		r := metav1.LabelSelectorRequirement{Key: g.name(), Operator: metav1.LabelSelectorOpExists}
		if g.IntN(2) == 0 {
			r.Operator, r.Values = metav1.LabelSelectorOpNotIn, []string{g.name(), ""}
		}
		s.MatchExpressions = append(s.MatchExpressions, r)
	}
	return s
}

// object makes one object of every kind in turn.
func (g generator) object(i int) manifest.Object {
	m := func(k manifest.Kind) manifest.Meta { return manifest.Meta{Kind: k, Name: g.name(), Labels: g.labels()} }
	label := func(k manifest.Kind) manifest.Meta {
		meta := m(k)
		meta.Name = g.pick("a", "on", "42")
		return meta
	}
	switch kind := manifest.Kinds[i%len(manifest.Kinds)]; kind {
	case manifest.KindEnvironment:
		return &manifest.Environment{Meta: m(manifest.KindEnvironment), ControlPlane: g.repo()}
	case manifest.KindBaseRepo:
		return &manifest.BaseRepo{Meta: m(manifest.KindBaseRepo), RepoRef: g.repo(), Commit: g.pick("", "1234567", "12345abc")}
	case manifest.KindWorkloadRegistration:
		return &manifest.WorkloadRegistration{Meta: m(manifest.KindWorkloadRegistration), Workload: g.repo(), Workspace: g.text()}
	case manifest.KindWorkload:
		w := &manifest.Workload{Meta: label(manifest.KindWorkload), ConfigSchemas: g.list(g.schema)}
		for range g.IntN(3) {
			w.DeploymentTargets = append(w.DeploymentTargets, manifest.DeploymentTarget{
				Name: g.pick("a", "no", "7"), Environment: g.name(), Labels: g.labels(), Manifests: g.texts(g.text, g.text),
				ConfigSchemas: g.list(g.schema),
			})
		}
		return w
	case manifest.KindDeploymentTarget:
		d := &manifest.DeploymentTargetObject{Meta: m(kind), Environment: g.name(), Manifests: g.texts(g.text, g.text),
			ConfigSchemas: g.list(g.schema)}
		d.Namespace, d.Labels = d.Environment, map[string]string{manifest.LabelWorkload: g.name(), manifest.LabelWorkspace: g.pick("", g.name())}
		return d
	case manifest.KindClusterType:
		return &manifest.ClusterType{Meta: label(manifest.KindClusterType), Reconciler: g.name(), NamespaceService: g.name(),
			ConfigType: g.text()}
	case manifest.KindTemplate:
		return &manifest.Template{
			Meta: m(manifest.KindTemplate), Type: manifest.TemplateType(g.pick("reconciler", "namespace", "config")),
			ContentType: g.pick("", "sh", "yaml", "1.0"), Manifests: g.list(g.text),
		}
	case manifest.KindSchedulingPolicy:
		p := &manifest.SchedulingPolicy{
			Meta: m(manifest.KindSchedulingPolicy), Workspace: g.text(), DeploymentTargets: g.selector(), ClusterTypes: g.selector(),
		}
		if g.IntN(2) == 0 {
			p.Placement, p.PerTarget = g.name(), g.IntN(2) == 0
		}
		return p
	case manifest.KindConfigSchema:
		return &manifest.ConfigSchema{Meta: m(manifest.KindConfigSchema), Schema: g.schema()}
	case manifest.KindGitOpsRepo:
		return &manifest.GitOpsRepo{Meta: m(manifest.KindGitOpsRepo), RepoRef: g.repo()}
	case manifest.KindConfigMap:
		c := &manifest.ConfigMap{Meta: m(manifest.KindConfigMap), Data: g.texts(g.name, g.text)}
		if c.Name = "azure-app-config-x"; g.IntN(2) == 0 {
			c.Name, c.Labels = "c", map[string]string{manifest.LabelPlatformConfig: "true"}
		}
		return c
	case manifest.KindPlacement:
		return g.placement(m(kind))
	case manifest.KindPlacementDecision:
		return g.placementDecision(m(kind))
	case manifest.KindManagedCluster:
		return g.managedCluster(m(kind))
	case manifest.KindAddOnPlacementScore:
		return g.addOnPlacementScore(m(kind))
	default:
		panic("the generator makes no " + kind)
	}
}

func TestDecodeGivesBackWhatEncodeWrote(t *testing.T) {
	t.Parallel()
	g := generator{rand.New(rand.NewPCG(1, 2))}
	for i := range 500 {
		want := g.object(i)
		text := manifest.Encode(want)
		objects, err := manifest.Decode(inputs(text))
		if err != nil {
			t.Fatalf("Decode: %v\n%s", err, text)
		}
		if diff := cmp.Diff([]manifest.Object{want}, objects, ignoreSources); diff != "" {
			t.Fatalf("objects (-want +got):\n%s\n%s", diff, text)
		}
		if again := manifest.Encode(objects[0]); again != text {
			t.Fatalf("the second encoding differs:\n%s", cmp.Diff(text, again))
		}
	}
}

func TestOrderOfDocumentsDoesNotMatter(t *testing.T) {
	t.Parallel()
	g := generator{rand.New(rand.NewPCG(3, 4))}
	byText := cmpopts.SortSlices(func(a, b manifest.Object) bool { return manifest.Encode(a) < manifest.Encode(b) })
	for range 3 {
		var texts []string
		for i := range 14 {
			texts = append(texts, manifest.Encode(g.object(i)))
		}
		want := decode(t, strings.Join(texts, "---\n"))
		g.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
		got := decode(t, strings.Join(texts[:7], "\n---\n"), strings.Join(texts[7:], "\n...\n---\n# next\n"))
		if diff := cmp.Diff(want, got, ignoreSources, byText); diff != "" {
			t.Fatalf("objects (-in order +shuffled):\n%s", diff)
		}
	}
}

func TestEncodeMakesInvalidUTF8Readable(t *testing.T) {
	t.Parallel()
	got := decode(t, manifest.Encode(&manifest.GitOpsRepo{
		Meta: manifest.Meta{Kind: manifest.KindGitOpsRepo, Name: "x"}, RepoRef: manifest.RepoRef{Repo: "a\xffb"},
	}))
	if repo := manifest.Of[*manifest.GitOpsRepo](got)[0].Repo; repo != "a\ufffdb" {
		t.Errorf("repo is %q", repo)
	}
}
