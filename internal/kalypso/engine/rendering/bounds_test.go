// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
)

// The end of the context is the only problem, although later manifests have mistakes, too.
func TestRenderingEndsWithContext(t *testing.T) {
	t.Parallel()
	f, a := sample(templateOf("rec", "{{ range 10000000000 }}x{{ end }}", "{{ .A }}"), templateOf("ns", "{{ .B }}"))
	r, err := New(f)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, errors.New("it takes too long"))
	defer cancel()
	_, err = r.Render(ctx, a, config(values))
	expectError(t, err, "Template/rec", "Manifest 1 cannot be rendered: it takes too long")
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than one problem: %s", err)
	}
}

func TestOutputOfAllManifestsIsBounded(t *testing.T) {
	t.Parallel()
	const nineMiB = `{{ repeat 9000000 "x" }}`
	_, err := renderFiles(t, values, templateOf("rec", nineMiB), templateOf("ns", nineMiB))
	expectError(t, err, "Template/ns", "of the package exceeds 16 MiB")
}

func TestOrdinaryWorkIsWithinBounds(t *testing.T) {
	t.Parallel()
	large := map[string]any{}
	for i := range 2000 {
		large[fmt.Sprintf("key%d", i)] = strings.Repeat("value ", 10)
	}
	got, err := renderOne(t,
		`{{ range $k, $v := .ConfigData }}{{ $k | upper | quote }}: {{ $v | trim | replace "v" "w" | sha256sum | trunc 8 }}
{{ end }}{{ toYaml .ConfigData | indent 4 | b64enc | len }}{{ range until 1000 }}{{ if eq (mod . 7) 0 }}{{ . }}{{ end }}{{ end }}`, large)
	if err != nil || len(got) < 2000 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// Ordinary templates go through all pairs of some hundred elements, or read files from a
// machine.
func TestMuchWorkIsWithinBounds(t *testing.T) {
	t.Parallel()
	deep := any("end")
	for range 300 {
		deep = map[string]any{"deeper": []any{deep}}
	}
	for source, want := range map[string]string{
		`{{ range $i := until 500 }}{{ range $j := until 500 }}{{ if and (eq $i 499) (eq $j 499) }}{{ printf "%d-%d" $i $j | upper | quote }}{{ end }}{{ end }}{{ end }}`: `"499-499"`,
		`{{ uniq (concat (until 1000) (until 1000)) | len }}`:                                        "1000",
		`{{ $l := list }}{{ range until 3 }}{{ $l = append $l (dict "a" 1) }}{{ end }}{{ uniq $l }}`: "[map[a:1]]",
		`{{ uniq (list 1 "1" 1 true nil 1.0 nil (list 1) (list 1) (list "1")) }}`:                    "[1 1 true <nil> 1 [1] [1]]",
		`{{ toYaml .ConfigData | contains "end" }} {{ stringify .ConfigData | contains "end" }}`:     "true true",
		`{{ hash .ConfigData | len | lt 10 }} {{ toJson .ConfigData | contains "end" }}`:             "true true",
	} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			got, err := renderOne(t, source, map[string]any{"deep": deep})
			if err != nil {
				t.Fatal(err)
			}
			expect(t, got, want)
		})
	}
}

// TestStableAndConcurrent renders from 16 goroutines at the same time, in different orders,
// and compares bytes.
func TestStableAndConcurrent(t *testing.T) {
	t.Parallel()
	f, assignments, configs := many(40)
	f.Templates["rec"] = templateOf("rec", fluxRepository, "{{ range $k, $v := .ConfigData }}{{ $k }}={{ $v }} {{ end }}{{ keys .ConfigData "+
		"}}{{ values .ConfigData }}{{ toJson .Labels }}")
	f.Templates["ns"] = templateOf("ns", namespaceManifest,
		`{{ hash .ConfigData }} {{ $_ := merge .ConfigData (dict "x" (dict "y" 1)) }}{{ toYaml .ConfigData }}{{ "{{ .Workload }}" }}`)
	fresh := func() *Renderer {
		r, err := New(f)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	want := make([]map[string]string, len(assignments))
	for i, a := range assignments {
		files, err := fresh().Render(t.Context(), a, configs[i])
		if err != nil {
			t.Fatal(err)
		}
		want[i] = contents(files)
	}
	r := fresh()
	var group sync.WaitGroup
	for seed := range uint64(16) {
		group.Go(func() {
			for _, i := range rand.New(rand.NewPCG(seed, 1)).Perm(len(assignments)) {
				files, err := r.Render(t.Context(), assignments[i], configs[i])
				if err != nil {
					t.Error(err)
					return
				}
				if got := contents(files); !maps.Equal(got, want[i]) {
					t.Errorf("assignment %d differs: %v", i, got)
				}
			}
		})
	}
	group.Wait()
}

// TestOrderOfLabelsNeverMatters renders maps that were filled in many orders.
func TestOrderOfLabelsNeverMatters(t *testing.T) {
	t.Parallel()
	f, a := sample(templateOf("rec", "{{ .Labels }}{{ range $k, $v := .Labels }}{{ $k }}{{ $v }}{{ end }}{{ toYaml .Labels }}{{ toJson "+
		".ClusterTypeLabels }}{{ hash .Labels }}"))
	r, err := New(f)
	if err != nil {
		t.Fatal(err)
	}
	keys := []string{"a", "b", "c", "d", "e", "f", "g"}
	var want map[string]string
	for seed := range uint64(20) {
		labels := map[string]string{}
		for _, i := range rand.New(rand.NewPCG(seed, 2)).Perm(len(keys)) {
			labels[keys[i]] = "v" + keys[i]
		}
		target := *a.Target
		target.Labels = labels
		files, err := r.Render(t.Context(), &placement.Assignment{ClusterType: a.ClusterType, Target: &target, Namespace: a.Namespace},
			config(nil))
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = contents(files)
		}
		expect(t, contents(files), want)
	}
}

// FuzzRender renders any template with any value. It expects no panic, an end within the
// bounds, and the same result twice.
func FuzzRender(f *testing.F) {
	sources := []string{
		"", "{{", "{{ . }}", "{{ .ConfigData.x }}", "{{ range 10000000000 }}x{{ end }}",
		`{{ define "x" }}{{ template "x" }}{{ end }}{{ template "x" }}`,
		"{{ toYaml .ConfigData | nindent 4 }}", "{{ $d := dict }}{{ set $d \"a\" $d }}", "{{ range $k, $v := .ConfigData }}{{ $k }}{{ break " +
			"}}{{ else }}x{{ end }}",
		"{{ with .Labels }}{{ .workload | eq \"shop\" }}{{ end }}", "{{ regexReplaceAll .ConfigData.x .ConfigData.x .ConfigData.x }}",
		"{{ printf .ConfigData.x 1 2 3 }}",
		"{{ fromJson .ConfigData.x | stringify }}", "{{ index .ConfigData.list 0 }}", "{{ slice .ConfigData.list 0 9 }}",
		"{{ chunk 2 .ConfigData.list }}",
		"{{ mergeOverwrite .ConfigData (deepCopy .ConfigData) }}", `{{ "{{ .ConfigData.x }}" }}`, `{{ repeat 10000 "{{1}}" }}`,
		`{{ repeat 1000 "{{ repeat 1000 .ConfigData.x }}" }}`, "{{ dict .ConfigData .ConfigData.x }}", "{{ semver .ConfigData.x }}",
		"{{ urlParse .ConfigData.x | urlJoin }}",
	}
	for i, source := range sources {
		f.Add(source, sources[(i+3)%len(sources)])
		f.Add(source, "(a|b)*%[1]*d$0")
	}
	f.Fuzz(func(t *testing.T, source, value string) {
		values := map[string]any{"x": value, "list": []any{value, map[string]any{"name": value}}, "map": map[any]any{1: value}}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		first, err := renderWithin(ctx, source, values)
		second, again := renderWithin(ctx, source, values)
		if ctx.Err() != nil {
			return
		}
		if (err == nil) != (again == nil) || first != second {
			t.Errorf("rendered differently: %q, %v; then %q, %v", first, err, second, again)
		}
		expect(t, slices.Sorted(maps.Keys(values)), []string{"list", "map", "x"})
	})
}
