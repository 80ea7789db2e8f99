// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"text/template"
	"time"
)

// testData is the data that templates see in tests.
type testData struct {
	Name   string
	Labels map[string]string
	Values map[string]any
}

var testLanguage = NewLanguage(testData{}, template.FuncMap{
	"toYaml": func(v any) (string, error) { return fmt.Sprint(v), nil },
	"hash":   func(v any) (string, error) { return fmt.Sprint(v), nil },
})

// execute executes a source.
func execute(t testing.TB, source string) (string, error) {
	t.Helper()
	return executeWithin(t.Context(), source)
}

// executeWithin executes a source within the time of the context.
func executeWithin(ctx context.Context, source string) (string, error) {
	p, errs := testLanguage.Parse(source)
	if len(errs) > 0 {
		return "", errs[0]
	}
	e := new(Execution)
	e.Begin(ctx)
	text, err := e.Execute(p, testData{Name: "test"})
	return string(text), err
}

// expectError wants all parts in the message.
func expectError(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in %q", part, err)
		}
	}
}

// TestEndless runs templates that would take years. They end with the context.
func TestEndless(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"a long loop":              "{{ range 10000000000 }}{{ end }}",
		"a loop over a list":       "{{ range until 1000000 }}{{ range until 1000000 }}{{ end }}{{ end }}",
		"a loop with continue":     "{{ range 10000000000 }}{{ if true }}{{ continue }}{{ end }}{{ end }}",
		"a loop with else":         "{{ range 10000000000 }}{{ if false }}{{ else }}{{ with . }}{{ end }}{{ end }}{{ end }}",
		"nested loops":             "{{ range 10000 }}{{ range 10000 }}{{ range 10000 }}{{ end }}{{ end }}{{ end }}",
		"a loop in a template":     `{{ define "x" }}{{ range 10000000000 }}{{ end }}{{ end }}{{ template "x" }}`,
		"a loop that calls":        `{{ define "x" }}{{ end }}{{ range 10000000000 }}{{ template "x" }}{{ end }}`,
		"a loop that declares":     "{{ $x := 1 }}{{ range 10000000000 }}{{ $x = add1 $x }}{{ end }}",
		"a loop that sorts":        `{{ $d := dict "a" 1 "b" 2 }}{{ range 10000000000 }}{{ range $d }}{{ break }}{{ end }}{{ end }}`,
		"exponential recursion":    `{{ define "x" }}{{ if gt . 0 }}{{ template "x" (sub . 1) }}{{ template "x" (sub . 1) }}{{ end }}{{ end }}{{ template "x" 100 }}`,
		"functions that take long": `{{ range 10000000000 }}{{ $_ := derivePassword 1 "long" "a" "b" "c" }}{{ end }}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, errors.New("it takes too long"))
			defer cancel()
			_, err := executeWithin(ctx, source)
			expectError(t, err, "line 1, column ", ": it takes too long")
		})
	}
}

// TestBounds runs templates that would fill the memory.
func TestBounds(t *testing.T) {
	t.Parallel()
	const large, deep = "a text, list or map of more than 16 MiB is refused", "nested more than 2000 levels deep, or in itself"
	doubled := func(start, double string) string { return start + strings.Repeat(double, 60) }
	for name, c := range map[string]struct{ source, want string }{
		"endless recursion":       {`{{ define "x" }}{{ template "x" . }}{{ end }}{{ template "x" . }}`, "200 levels"},
		"a manifest calls itself": {`{{ template "(manifest)" . }}`, "200 levels"},
		"much output":             {"{{ range 1000000 }}" + strings.Repeat("x", 100) + "{{ end }}", "the output of the package exceeds 16 MiB"},

		"repeat":                  {`{{ repeat 1000000000 "xxxxxxxxxx" }}`, large},
		"repeat beyond numbers":   {`{{ repeat 9223372036854775807 "xxxx" }}`, large},
		"indent":                  {`{{ indent 1000000000 "x" }}`, large},
		"nindent":                 {`{{ nindent 100000 (repeat 1000 "\n") }}`, large},
		"replace":                 {`{{ replace "" (repeat 10000 "y") (repeat 10000 "x") }}`, large},
		"join":                    {`{{ join (repeat 10000 "y") (until 10000) }}`, large},
		"wrapWith":                {`{{ wrapWith 1 (repeat 10000 "y") (repeat 10000 "x") }}`, large},
		"a text that doubles":     {doubled(`{{ $x := "x" }}`, `{{ $x = print $x $x }}`), large},
		"a text many times":       {`{{ $x := repeat 1000000 "x" }}{{ print ` + strings.Repeat("$x ", 1000) + `}}`, large},
		"printf with width":       {`{{ printf "%100000000d" 1 }}` + strings.Repeat(`{{ printf "%999999d" 1 }}`, 20), "exceeds 16 MiB"},
		"printf with many widths": {`{{ printf "` + strings.Repeat("%999999d", 100) + `" 1 }}`, large},
		"printf with precision":   {`{{ printf "` + strings.Repeat("%.999999f", 100) + `" 1.5 }}`, large},
		"printf with star":        {`{{ printf "` + strings.Repeat("%[1]*d", 100) + `" 999999 }}`, large},
		"printf again and again":  {`{{ printf "` + strings.Repeat("%[1]s", 1000) + `" (repeat 1000000 "x") }}`, large},
		"widths of a list":        {`{{ printf "%9999d" (until 100000) | len }}`, large},
		"a star for a list":       {`{{ printf "%*d" 999999 (until 900000) | len }}`, large},
		"regexReplaceAll":         {`{{ regexReplaceAll "" (repeat 100000 "x") (repeat 10000 "y") }}`, large},
		"regexReplaceAll, groups": {`{{ regexReplaceAll "x+" (repeat 100000 "x") (repeat 10000 "$0") }}`, large},
		"many values of JSON":     {`{{ $_ := fromJson (printf "[%s0]" (repeat 1500000 "0,")) }}`, large},
		"texts that stay":         {`{{ $l := list }}{{ range until 1000 }}{{ $l = append $l (repeat 10000000 "x") }}{{ end }}`, large},

		"until":              {`{{ until 1000000000 }}`, large},
		"untilStep":          {`{{ untilStep -9223372036854775807 9223372036854775807 1 }}`, large},
		"untilStep, upwards": {`{{ untilStep 0 9223372036854775807 5000000000000000000 }}`, large},
		"seq":                {`{{ seq 1000000000 }}`, large},
		"seq, downwards":     {`{{ seq 0 -1 -1000000000 }}`, large},
		"seq beyond numbers": {`{{ seq 9223372036854775806 9223372036854775807 }}`, large},
		"split":              {`{{ split "" (repeat 10000000 "x") }}`, large},
		"uniq":               {`{{ uniq (until 100000) }}`, large},
		"without":            {`{{ without (until 1000000) ` + strings.Repeat("0 ", 1000) + `}}`, large},
		"concat":             {doubled(`{{ $l := list 1 }}`, `{{ $l = concat $l $l }}`), large},

		"a value that doubles":               {doubled(`{{ $l := list 1 }}`, `{{ $l = list $l $l }}`), large},
		"a value that doubles, in a map":     {doubled(`{{ $l := dict }}`, `{{ $l = dict "a" $l "b" $l }}`), large},
		"a value that contains itself":       {`{{ $d := dict }}{{ $_ := set $d "self" $d }}`, deep},
		"a value that contains itself later": {`{{ $a := dict }}{{ $b := dict "a" (list $a) }}{{ $_ := set $a "b" $b }}`, deep},
		"a deep value":                       {`{{ $l := list }}{{ range 100000 }}{{ $l = list $l }}{{ end }}`, deep},
		"deep JSON":                          {`{{ fromJson (print (repeat 5000 "[") (repeat 5000 "]")) }}`, deep},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := execute(t, c.source)
			expectError(t, err, c.want)
		})
	}
}
