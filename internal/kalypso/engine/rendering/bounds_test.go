// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
)

// TestBounds runs templates that would never end, or fill the memory.
func TestBounds(t *testing.T) {
	t.Parallel()
	const work, text, list, value = "too much work", "text of more than 16 MiB", "more than 1000000 elements", "cannot be written or compared"
	doubled := func(start, double string) string { return start + strings.Repeat(double, 60) }
	cases := map[string]struct{ source, want string }{
		"a long loop":             {"{{ range 10000000000 }}{{ end }}", work},
		"nested loops":            {"{{ range 10000 }}{{ range 10000 }}{{ range 10000 }}{{ end }}{{ end }}{{ end }}", work},
		"a loop with break":       {"{{ $d := dict }}{{ range $i := until 1000 }}{{ $_ := set $d (toString $i) 1 }}{{ end }}{{ range 100000 }}{{ range $d }}{{ break }}{{ end }}{{ end }}", work},
		"endless recursion":       {`{{ define "x" }}{{ template "x" . }}{{ end }}{{ template "x" . }}`, "200 levels"},
		"a manifest calls itself": {`{{ template "(manifest)" . }}`, "200 levels"},
		"exponential recursion":   {`{{ define "x" }}{{ if gt . 0 }}{{ template "x" (sub . 1) }}{{ template "x" (sub . 1) }}{{ end }}{{ end }}{{ template "x" 100 }}`, work},
		"wide bodies":             {"{{ range 1000000 }}" + strings.Repeat("{{ $x := $ }}", 100) + "{{ end }}", work},
		"much output":             {"{{ range 1000000 }}" + strings.Repeat("x", 100) + "{{ end }}", "output of the assignment exceeds 16 MiB"},

		"repeat":                   {`{{ repeat 100000000 "xxxx" }}`, text},
		"repeat beyond numbers":    {`{{ repeat 9223372036854775807 "xxxx" }}`, text},
		"indent":                   {`{{ indent 100000000 "x" }}`, text},
		"nindent":                  {`{{ nindent 100000 (repeat 1000 "\n") }}`, text},
		"replace":                  {`{{ replace "" (repeat 10000 "y") (repeat 10000 "x") }}`, text},
		"join":                     {`{{ join (repeat 10000 "y") (until 10000) }}`, text},
		"wrapWith":                 {`{{ wrapWith 1 (repeat 10000 "y") (repeat 10000 "x") }}`, text},
		"a text that doubles":      {doubled(`{{ $x := "x" }}`, `{{ $x = print $x $x }}`), "16 MiB"},
		"printf with width":        {`{{ printf "%100000000d" 1 }}` + strings.Repeat(`{{ printf "%999999d" 1 }}`, 20), "16 MiB"},
		"printf with many widths":  {`{{ printf "` + strings.Repeat("%999999d", 100) + `" 1 }}`, text[:4]},
		"printf with star":         {`{{ printf "` + strings.Repeat("%[1]*d", 100) + `" 999999 }}`, "16 MiB"},
		"printf again and again":   {`{{ printf "` + strings.Repeat("%[1]s", 1000) + `" (repeat 1000000 "x") }}`, "16 MiB"},
		"regexReplaceAll":          {`{{ regexReplaceAll "" (repeat 100000 "x") (repeat 10000 "y") }}`, text},
		"regexReplaceAll, groups":  {`{{ regexReplaceAll "x+" (repeat 100000 "x") (repeat 10000 "$0") }}`, text},
		"a long regex":             {`{{ regexMatch (repeat 10000 "a?") "x" }}`, "4 KiB"},
		"a wide regex":             {`{{ regexMatch "(x{0,500}){0,2}y" (repeat 1000000 "x") }}`, work},
		"texts that stay":          {`{{ $l := list }}{{ range until 1000 }}{{ $l = append $l (repeat 10000000 "x") }}{{ end }}`, work},
		"comparing long texts":     {`{{ $a := repeat 10000000 "x" }}{{ $b := print $a "" }}{{ range 1000000 }}{{ if eq $a $b }}{{ end }}{{ end }}`, work},
		"piped comparing":          {`{{ $a := repeat 10000000 "x" }}{{ $b := print $a "" }}{{ range 1000000 }}{{ if $a | eq $b }}{{ end }}{{ end }}`, work},
		"searching in long texts":  {`{{ $a := repeat 10000000 "x" }}{{ range 1000000 }}{{ if contains "y" $a }}{{ end }}{{ end }}`, work},
		"trimming by many letters": {`{{ trimAll (repeat 5000000 "é") (repeat 10000000 "x") }}`, work},

		"until":              {`{{ until 100000000 }}`, list},
		"untilStep":          {`{{ untilStep -9223372036854775807 9223372036854775807 1 }}`, list},
		"seq":                {`{{ seq 100000000 }}`, list},
		"seq beyond numbers": {`{{ seq 9223372036854775806 9223372036854775807 }}`, "32 bits"},
		"split":              {`{{ split "" (repeat 10000000 "x") }}`, list},
		"uniq":               {`{{ uniq (until 100000) }}`, work},
		"without":            {`{{ without (until 100000) (until 100000) | len }}{{ range 100 }}{{ has -1 (until 100000) }}{{ end }}`, work},
		"a list that grows":  {`{{ $l := list }}{{ range 100000 }}{{ $l = append $l 1 }}{{ end }}`, work},
		"concat":             {doubled(`{{ $l := list 1 }}`, `{{ $l = concat $l $l }}`), list},

		"a value that doubles, as YAML":      {doubled(`{{ $l := list 1 }}`, `{{ $l = list $l $l }}`) + `{{ toYaml $l }}`, value},
		"a value that doubles, written":      {doubled(`{{ $l := list 1 }}`, `{{ $l = list $l $l }}`) + `{{ $l }}`, value},
		"a value that doubles, hashed":       {doubled(`{{ $l := list 1 }}`, `{{ $l = list $l $l }}`) + `{{ hash $l }}`, value},
		"a value that doubles, compared":     {doubled(`{{ $l := list 1 }}`, `{{ $l = list $l $l }}`) + `{{ deepEqual $l $l }}`, value},
		"a value that doubles, in a map":     {doubled(`{{ $l := dict }}`, `{{ $l = dict "a" $l "b" $l }}`) + `{{ $l | quote }}`, value},
		"a value that contains itself":       {`{{ $d := dict }}{{ $_ := set $d "self" $d }}{{ toJson $d }}`, value},
		"a value that contains itself, read": {`{{ $d := dict }}{{ $_ := set $d "self" $d }}{{ $d }}`, value},
		"a value that contains itself later": {`{{ $a := dict }}{{ $b := dict "a" (list $a) }}{{ $_ := set $a "b" $b }}{{ merge $a $b }}`, value},
		"a value that grows afterwards":      {`{{ $d := dict }}{{ $l := list $d $d $d $d $d $d $d $d }}{{ $_ := set $d "x" (repeat 10000000 "x") }}{{ toYaml $l }}`, value},
		"a deep value":                       {`{{ $l := list }}{{ range 100000 }}{{ $l = list $l }}{{ end }}{{ toYaml $l }}`, value},
		"deep JSON":                          {`{{ fromJson (repeat 5000 "[" | printf "%s%s" (repeat 4000 "[")) }}{{ fromJson (print (repeat 5000 "[") (repeat 5000 "]")) | toYaml }}`, ""},
		"passwords without end":              {`{{ range 1000 }}{{ derivePassword 1 "long" "a" "b" "c" }}{{ end }}`, work},
		"factors without end":                {`{{ mulf ` + strings.Repeat("1.5 ", 1000) + `}}`, "more than 100 numbers"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps := maxSteps
			if c.want == work {
				steps /= 10 // enough to see that it ends
			}
			_, err := renderWithin(t, steps, c.source, values)
			expectError(t, err, c.want, "Template/rec", "large/shop-live")
		})
	}
}

func TestExhaustionEndsTheAssignment(t *testing.T) {
	t.Parallel()
	_, err := renderFiles(t, values, templateOf("rec", "{{ range 10000000000 }}{{ end }}", "{{ .A }}"), templateOf("ns", "{{ .B }}"))
	expectError(t, err, "too much work")
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than one problem: %s", err)
	}
}

func TestOrdinaryWorkIsWithinBounds(t *testing.T) {
	t.Parallel()
	large := map[string]any{}
	for i := range 2000 {
		large[fmt.Sprintf("key%d", i)] = strings.Repeat("value ", 10)
	}
	got, err := renderOne(t, `{{ range $k, $v := .ConfigData }}{{ $k | upper | quote }}: {{ $v | trim | replace "v" "w" | sha256sum | trunc 8 }}
{{ end }}{{ toYaml .ConfigData | indent 4 | b64enc | len }}{{ range until 1000 }}{{ if eq (mod . 7) 0 }}{{ . }}{{ end }}{{ end }}`, large)
	if err != nil || len(got) < 2000 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// TestStableAndConcurrent renders from 16 goroutines at once, in other orders,
// and compares bytes.
func TestStableAndConcurrent(t *testing.T) {
	t.Parallel()
	f, assignments, configs := many(40)
	f.Templates["rec"] = templateOf("rec", fluxRepository, "{{ range $k, $v := .ConfigData }}{{ $k }}={{ $v }} {{ end }}{{ keys .ConfigData }}{{ values .ConfigData }}{{ toJson .Labels }}")
	f.Templates["ns"] = templateOf("ns", namespaceManifest, `{{ hash .ConfigData }} {{ $_ := merge .ConfigData (dict "x" (dict "y" 1)) }}{{ toYaml .ConfigData }}{{ "{{ .Workload }}" }}`)
	fresh := func() *Renderer {
		r, err := New(f)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	want := make([]map[string]string, len(assignments))
	for i, a := range assignments {
		files, err := fresh().Render(a, configs[i])
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
				files, err := r.Render(assignments[i], configs[i])
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
	f, a := sample(templateOf("rec", "{{ .Labels }}{{ range $k, $v := .Labels }}{{ $k }}{{ $v }}{{ end }}{{ toYaml .Labels }}{{ toJson .ClusterTypeLabels }}{{ hash .Labels }}"))
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
		files, err := r.Render(&placement.Assignment{ClusterType: a.ClusterType, Target: &target, Namespace: a.Namespace}, config(nil))
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = contents(files)
		}
		expect(t, contents(files), want)
	}
}

// FuzzRender renders any template with any value: never a panic, always within
// bounds, and twice the same.
func FuzzRender(f *testing.F) {
	sources := []string{
		"", "{{", "{{ . }}", "{{ .ConfigData.x }}", "{{ range 10000000000 }}{{ end }}", `{{ define "x" }}{{ template "x" }}{{ end }}{{ template "x" }}`,
		"{{ toYaml .ConfigData | nindent 4 }}", "{{ $d := dict }}{{ set $d \"a\" $d }}", "{{ range $k, $v := .ConfigData }}{{ $k }}{{ break }}{{ else }}x{{ end }}",
		"{{ with .Labels }}{{ .workload | eq \"shop\" }}{{ end }}", "{{ regexReplaceAll .ConfigData.x .ConfigData.x .ConfigData.x }}", "{{ printf .ConfigData.x 1 2 3 }}",
		"{{ fromJson .ConfigData.x | stringify }}", "{{ index .ConfigData.list 0 }}", "{{ slice .ConfigData.list 0 9 }}", "{{ chunk 2 .ConfigData.list }}",
		"{{ mergeOverwrite .ConfigData (deepCopy .ConfigData) }}", `{{ "{{ .ConfigData.x }}" }}`, "{{ semver .ConfigData.x }}", "{{ urlParse .ConfigData.x | urlJoin }}",
	}
	for i, source := range sources {
		f.Add(source, sources[(i+3)%len(sources)])
		f.Add(source, "(a|b)*%[1]*d$0")
	}
	f.Fuzz(func(t *testing.T, source, value string) {
		values := map[string]any{"x": value, "list": []any{value, map[string]any{"name": value}}, "map": map[any]any{1: value}}
		first, err := renderWithin(t, maxSteps/20, source, values)
		second, again := renderWithin(t, maxSteps/20, source, values)
		if (err == nil) != (again == nil) || first != second {
			t.Errorf("rendered differently: %q, %v; then %q, %v", first, err, second, again)
		}
		if len(first) > maxOutput {
			t.Errorf("%d bytes of output", len(first))
		}
		expect(t, slices.Sorted(maps.Keys(values)), []string{"list", "map", "x"})
	})
}
