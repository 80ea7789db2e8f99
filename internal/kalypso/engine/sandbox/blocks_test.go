// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"strings"
	"testing"
	"text/template/parse"
)

// sources are those whose blocks are compared with the whole.
var sources = []string{
	"name: {{ .Name }}\n",
	"{{ .Name }}{{ .Labels.app }}{{ .Labels.none }}{{ index .Labels \"app\" }}{{ index .Labels \"none\" }}",
	"{{ .Labels.app | upper }} {{ .Labels.none | default \"none\" }} {{ index .Labels \"none\" | quote }}",
	"{{ .Values }}{{ .Values.a }}{{ .Values.none }}{{ .Values.list | join \",\" }}",
	"{{ toYaml .Values | indent 2 }}{{ .Labels }}{{ len .Labels }}",
	"{{- range $k, $v := .Labels }}{{ $k }}={{ $v }} of {{ $.Name }}\n{{ end -}}",
	"{{ with .Values.a }}{{ . }}{{ $.Labels.app }}{{ else }}{{ .Name }}{{ end }}",
	"{{ if eq .Name \"one\" }}{{ .Labels.app }}{{ else if .Values.a }}{{ .Values.a }}{{ end }}",
	"{{ $n := .Name }}{{ $n }}{{ .Labels.app }}{{ $n = \"x\" }}{{ $n }}",
	"{{ if true }}{{ $n := .Name }}{{ $n }}{{ end }}{{ .Name }}",
	"{{ $n := .Name | upper }}{{ $m := printf \"%s-%s\" $n .Labels.app }}{{ $m }}{{ if $n }}{{ $k := $m }}{{ $k }}{{ $n }}{{ else }}{{ $m | quote }}{{ end }}{{ range .Labels }}{{ $n }}{{ $n := . }}{{ $n }}{{ end }}",
	"{{ $n := .Name }}{{ $n }}{{ if .Name }}{{ $n }}{{ end }}{{ if .Labels.none }}a{{ else if index .Labels \"none\" }}b{{ else if .Labels.app }}{{ $n | quote }}{{ end }}",
	"{{ if .Labels }}a{{ end }}{{ if .Values.a }}b{{ end }}{{ if $n := .Name }}{{ $n }}{{ end }}",
	"{{ $n := fail .Name }}{{ .Name }}", "{{ if fail \"x\" }}{{ end }}", "{{ if .Name.x }}{{ end }}", "{{ $n := 1 }}{{ if true }}{{ $n = 2 }}{{ end }}{{ $n }}",
	"{{ if .Labels.app }}{{ if eq .Labels.app \"web\" }}{{ .Name }}{{ else }}{{ .Name | quote }}{{ end }}{{ else }}none {{ .Name }}{{ end }}",
	"{{ define \"x\" }}{{ .Name }}{{ $.Labels.app }}{{ end }}{{ template \"x\" . }}{{ template \"x\" $ }}",
	"{{ define \"y\" }}{{ .app }}{{ end }}{{ template \"y\" .Labels }}{{ template \"y\" }}",
	"{{ define \"z\" }}{{ if .n }}{{ template \"z\" .m }}{{ end }}{{ end }}{{ template \"z\" (dict \"n\" .Name \"m\" (dict \"n\" \"\")) }}",
	"{{ . }}{{ $ }}{{ printf \"%v\" . }}{{ (index .Values \"a\") }}{{ (.Labels).app }}",
	"{{ $d := dict }}{{ set $d \"a\" .Name }}{{ .Name }}",
	"{{ set .Values \"a\" .Name }}{{ .Values.a }}{{ .Values.a | quote }}",
	"{{ .Name.x }}", "{{ .None }}", "{{ .Values.a.b.c }}", "{{ fail .Name }}", "{{ index .Values.list 5 }}",
	"{{ range until 200 }}{{ .}}{{ end }}{{ range until 200 }}{{ $.Name }}{{ end }}",
	"{{/* nothing */}}{{ .Name -}}   x",
	"{{ $x := \"a\" }}{{ print ($x := .Name) }}{{ $x }}", "{{ if eq \"one\" ($x := .Name) }}{{ $x }}{{ end }}",
	"{{ define \"t\" }}{{ . }}{{ end }}{{ $x := \"a\" }}{{ template \"t\" $x := .Name }}{{ $x }}",
	"{{ $l := splitList \",\" \"b,a\" }}{{ $s := sortAlpha $l }}{{ $l }}",
	"{{ $l := list \"b\" \"a\" }}{{ sortAlpha $l }}{{ $m := append $l \"x\" }}{{ $n := append $l \"y\" }}{{ $m }}{{ $n }}{{ $l }}",
	"{{ $x := 1 }}{{ $y := $x }}{{ $x := 2 }}{{ $y }}{{ $x }}{{ if $x }}{{ $x := 3 }}{{ $y }}{{ $x }}{{ end }}{{ $x }}",
	"{{ $ := .Labels }}{{ $.app }}{{ range .Values.list }}{{ $ }}{{ end }}", "{{ with $ := .Labels }}{{ $.app }}{{ end }}{{ $.Name }}",
	"{{ $d := dict \"a\" (dict \"b\" 1) }}{{ $e := $d.a }}{{ $x := set $e \"b\" 2 }}{{ $d.a.b }}",
	"{{ range $i, $e := .Values.list }}{{ if eq $i 1 }}{{ break }}{{ end }}{{ $e }}{{ $.Name }}{{ end }}",
	"{{ define \"v\" }}{{ with .Labels }}{{ template \"w\" $ }}{{ end }}{{ end }}{{ define \"w\" }}{{ .Name }}{{ end }}{{ template \"v\" . }}",
	"{{ $n := len (until 900) }}" + strings.Repeat("{{ if .Name }}{{ $n }}{{ end }}", 60), "{{ $n := len (until 3000) }}{{ $m := len (until 1500) }}{{ add $n $m }}{{ $n }}{{ until 600 }}",
	"{{ printf \"%v %v\" .Labels.app .Labels.none }}",
	"{{ repeat 9998 \"x\" }}{{ if eq .Name \"two\" }}y{{ end }}", "{{ repeat 9995 \"x\" }}{{ .Name | upper }}{{ .Labels.app | upper }}",
}

// records are data that have something in common.
func records() []testData {
	values := map[string]any{"a": "A", "list": []any{"x", "y"}}
	labels := map[string]string{"app": "web"}
	return []testData{
		{"one", labels, values},
		{"two", labels, values},
		{"one", map[string]string{"app": "web", "none": ""}, map[string]any{"a": map[string]any{"b": 1}}},
		{"one", map[string]string{"app": "<no value>", "none": noValue}, map[string]any{}},
		{"one", map[string]string{"none": "web"}, values},
		{},
		{"one", labels, values},
	}
}

// A program writes the same, at the same cost, and fails alike whether its blocks are
// executed one by one, kept, or as a whole.
func TestBlocksAreTheWhole(t *testing.T) {
	t.Parallel()
	for _, source := range sources {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			compareBlocks(t, source)
		})
	}
}

func FuzzBlocks(f *testing.F) {
	for _, source := range sources {
		f.Add(source)
	}
	f.Fuzz(compareBlocks)
}

func compareBlocks(t *testing.T, source string) {
	p, errs := testLanguage.Parse(source)
	// A variable that changes makes one block of what follows it.
	whole, wholeErrs := testLanguage.Parse("{{ $whole := 1 }}{{ $whole = 2 }}" + source)
	if errs != nil || wholeErrs != nil || strings.Contains(source, mainTemplate) {
		return // one that calls itself makes the variable again each time
	}
	if len(whole.blocks) > 1 {
		t.Fatalf("the whole has %d blocks", len(whole.blocks))
	}
	budget := Budget{For: "test", Steps: 5_000, Output: 10_000}
	shared := testLanguage.NewExecutor()
	for range 2 {
		for i, data := range records() {
			if p.Mutates() {
				data = records()[i]
			}
			shared.Begin(t.Context(), budget)
			got, err := shared.Execute(p, data, !p.Mutates())
			own := testLanguage.NewExecutor()
			own.Begin(t.Context(), budget)
			want, wantErr := own.Execute(whole, records()[i], false)
			if (err == nil) != (wantErr == nil) || string(got) != string(want) {
				t.Fatalf("record %d: %q, %v; as a whole %q, %v", i, got, err, want, wantErr)
			}
			fresh := testLanguage.NewExecutor()
			fresh.Begin(t.Context(), budget)
			_, freshErr := fresh.Execute(p, records()[i], false)
			if fmt.Sprint(err) != fmt.Sprint(freshErr) || err == nil && shared.meter.steps != fresh.meter.steps {
				t.Errorf("record %d: %v, %d steps are left; where nothing is kept %v, %d", i, err, shared.meter.steps, freshErr, fresh.meter.steps)
			}
			if shared.meter.steps != own.meter.steps || shared.meter.output != own.meter.output || shared.Exhausted() != own.Exhausted() {
				t.Errorf("record %d: %d steps and %d bytes are left; as a whole %d and %d", i, shared.meter.steps, shared.meter.output, own.meter.steps, own.meter.output)
			}
		}
	}
}

// What a block reads decides whether it is executed again.
func TestReadings(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]int{
		"{{ .Name | quote }}":                                                  1,
		"{{ printf \"%s%s%s\" .Name .Name .Labels.app }}":                      2,
		"{{ index .Labels \"app\" | quote }}":                                  1,
		"{{ toYaml .Values }}":                                                 1,
		"{{ range .Labels }}{{ $.Name }}{{ .x }}{{ end }}":                     2,
		"{{ define \"x\" }}{{ .Name | quote }}{{ end }}{{ template \"x\" . }}": 1,
		"{{ with true }}x{{ end }}":                                            0,
		"{{ $n := .Name }}{{ $m := .Labels.app }}{{ quote $n }}":               1,
		"{{ printf \"%v\" . }}":                                                -1,
		"{{ printf \"%v\" $ }}":                                                -1,
		"{{ .None | quote }}":                                                  -1,
	} {
		p, errs := testLanguage.Parse(source)
		if errs != nil {
			t.Fatal(errs)
		}
		got := -1
		if reads := p.blocks[len(p.blocks)-1].reads; reads != nil {
			got = len(reads)
		}
		if got != want {
			t.Errorf("%s reads %d fields, want %d", source, got, want)
		}
	}
}

// What is written again takes from the budget what it took, and exceeds it alike.
func TestKeptOutputCosts(t *testing.T) {
	t.Parallel()
	p, errs := testLanguage.Parse("{{ until 300 | len }}")
	if errs != nil {
		t.Fatal(errs)
	}
	e := testLanguage.NewExecutor()
	e.Begin(t.Context(), Budget{For: "test", Steps: 500, Output: 100})
	if _, err := e.Execute(p, testData{}, true); err != nil {
		t.Fatal(err)
	}
	_, err := e.Execute(p, testData{}, true)
	expectError(t, err, "too much work")
	if !e.Exhausted() {
		t.Error("the executor does not know that it is exhausted")
	}
}

// A block repeats all declarations that it needs, in their order: where one were missing,
// the source would be executed as a whole, and more slowly.
func TestDeclarationsAreRepeated(t *testing.T) {
	t.Parallel()
	p, errs := testLanguage.Parse("{{ $n := .Name | upper }}{{ $m := print $n .Labels.app }}{{ $o := print $m $n }}{{ $o | quote }}")
	if errs != nil {
		t.Fatal(errs)
	}
	e := testLanguage.NewExecutor()
	e.Begin(t.Context(), Budget{For: "test", Steps: 1000, Output: 100})
	got, err := e.Execute(p, records()[0], true)
	if err != nil || string(got) != `"ONEwebONE"` {
		t.Errorf("%s, %v", got, err)
	}
	if e.meter.repeats == 0 {
		t.Error("the source was executed as a whole")
	}
}

// A node of a kind that a later text/template may bring.
type unknownNode struct{ parse.TextNode }

// What is not known is refused in a list; elsewhere it counts as reading and changing
// anything.
func TestUnknownNodes(t *testing.T) {
	t.Parallel()
	unknown := &unknownNode{parse.TextNode{Text: []byte("{{unknown}}")}}
	list := &parse.ListNode{Nodes: []parse.Node{unknown}}
	in := newInstrumenter(testLanguage, map[string]*parse.Tree{mainTemplate: {Root: list}})
	in.instrument(mainTemplate)
	if len(in.faults) != 1 || in.faults[0].text != "{{unknown}} is nothing that a template can do here" {
		t.Errorf("%v", in.faults)
	}
	command := &parse.ListNode{Nodes: []parse.Node{&parse.ActionNode{Pipe: &parse.PipeNode{
		Cmds: []*parse.CommandNode{{Args: []parse.Node{unknown}}},
	}}}}
	for _, l := range []*parse.ListNode{list, command} {
		v := variables{}
		if v.note(l); in.readings(l) != nil || !v.change {
			t.Errorf("%s reads and changes nothing", l)
		}
	}
}
