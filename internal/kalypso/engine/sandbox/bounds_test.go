// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"context"
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

// maxSteps is a budget of about a second.
const maxSteps = 5_000_000

// execute executes a source within a budget of steps.
func execute(t testing.TB, steps int, source string) (string, error) {
	t.Helper()
	p, errs := testLanguage.Parse(source)
	if len(errs) > 0 {
		return "", errs[0]
	}
	e := testLanguage.NewExecutor()
	e.Begin(t.Context(), Budget{For: "test", Steps: steps, Output: 16 << 20})
	text, err := e.Execute(p, testData{Name: "test"})
	if exceeded := err != nil && e.meter.steps == 0; exceeded && !e.Exhausted() {
		t.Errorf("the executor does not know that it is exhausted: %v", err)
	}
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

// TestBounds runs templates that would never end, or fill the memory.
func TestBounds(t *testing.T) {
	t.Parallel()
	const work, text, list, value = "too much work", "text of more than 16 MiB", "more than 1000000 elements", "cannot be written or compared"
	const made = "the functions make more than 128 MiB in one test"
	doubled := func(start, double string) string { return start + strings.Repeat(double, 60) }
	cases := map[string]struct{ source, want string }{
		"a long loop":  {"{{ range 10000000000 }}{{ end }}", work},
		"nested loops": {"{{ range 10000 }}{{ range 10000 }}{{ range 10000 }}{{ end }}{{ end }}{{ end }}", work},
		"a loop with break": {"{{ $d := dict }}{{ range $i := until 1000 }}{{ $_ := set $d (toString $i) 1 }}{{ end }}{{ range 100000 " +
			"}}{{ range $d }}{{ break }}{{ end }}{{ end }}", work},
		"endless recursion":       {`{{ define "x" }}{{ template "x" . }}{{ end }}{{ template "x" . }}`, "200 levels"},
		"a manifest calls itself": {`{{ template "(manifest)" . }}`, "a manifest cannot call itself"},
		"exponential recursion":   {`{{ define "x" }}{{ if gt . 0 }}{{ template "x" (sub . 1) }}{{ template "x" (sub . 1) }}{{ end }}{{ end }}{{ template "x" 100 }}`, work},
		"wide bodies":             {"{{ range 1000000 }}" + strings.Repeat("{{ $x := $ }}", 100) + "{{ end }}", work},
		"much output":             {"{{ range 1000000 }}" + strings.Repeat("x", 100) + "{{ end }}", "output of the test exceeds 16 MiB"},

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
		"a long regex":             {`{{ regexMatch (repeat 10000 "a?") "x" }}`, "512 bytes"},
		"widths of a list":         {`{{ printf "%9999d" (until 100000) | len }}`, "more than 16 MiB"},
		"a star for a list":        {`{{ printf "%*d" 999999 (until 900000) | len }}`, "more than 16 MiB"},
		"classes of letters":       {`{{ range until 1000000 }}{{ regexMatch (repeat 100 "\\pL") "x" }}{{ end }}`, "too much work"},
		"a wide regex":             {`{{ regexMatch "(x{0,500}){0,2}y" (repeat 1000000 "x") }}`, work},
		"many texts":               {strings.Repeat(`{{ $x := repeat 10000000 "x" }}`, 20), made},
		"many values of JSON":      {`{{ $d := dict }}{{ range $i := until 10 }}{{ $_ := set $d (toString $i) (fromJson (printf "[[%s0]]" (repeat 500000 "0,"))) }}{{ end }}`, made},
		"many copies":              {`{{ $l := chunk 2 (until 50000) }}{{ $d := dict }}{{ range $i := until 100 }}{{ $_ := set $d (toString $i) (deepCopy $l) }}{{ end }}`, made},
		"texts that stay":          {`{{ $l := list }}{{ range until 1000 }}{{ $l = append $l (repeat 10000000 "x") }}{{ end }}`, work},
		"comparing long texts":     {`{{ $a := repeat 10000000 "x" }}{{ $b := print $a "" }}{{ range 1000000 }}{{ if eq $a $b }}{{ end }}{{ end }}`, work},
		"piped comparing":          {`{{ $a := repeat 10000000 "x" }}{{ $b := print $a "" }}{{ range 1000000 }}{{ if $a | eq $b }}{{ end }}{{ end }}`, work},
		"searching in long texts":  {`{{ $a := repeat 10000000 "x" }}{{ range 1000000 }}{{ if contains "y" $a }}{{ end }}{{ end }}`, work},
		"trimming by many letters": {`{{ trimAll (repeat 5000000 "é") (repeat 10000000 "x") }}`, work},

		"until":              {`{{ until 100000000 }}`, list},
		"untilStep":          {`{{ untilStep -9223372036854775807 9223372036854775807 1 }}`, list},
		"seq":                {`{{ seq 100000000 }}`, list},
		"seq beyond numbers": {`{{ seq 9223372036854775806 9223372036854775807 }}`, "62 bits"},
		"split":              {`{{ split "" (repeat 10000000 "x") }}`, list},
		"uniq":               {`{{ uniq (chunk 1 (until 100000)) }}`, work},
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
		"keys that are lists":                {`{{ $l := until 100000 }}{{ range 1000000 }}{{ $_ := dict $l 1 }}{{ end }}`, work},
		"keys that are maps":                 {`{{ $d := dict "l" (until 100000) }}{{ range 1000000 }}{{ $_ := dict "a" 1 $d }}{{ end }}`, work},
		"actions":                            {strings.Repeat("{{1}}", 20_001), "more than 20000 actions"},
		"passwords without end":              {`{{ range 1000 }}{{ derivePassword 1 "long" "a" "b" "c" }}{{ end }}`, work},
		"factors without end":                {`{{ mulf ` + strings.Repeat("1.5 ", 1000) + `}}`, "more than 100 numbers"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps := maxSteps
			if c.want == work {
				steps /= 10 // enough to see that the execution ends
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			ended := make(chan error, 1)
			go func() {
				_, err := execute(t, steps, c.source)
				ended <- err
			}()
			select {
			case err := <-ended:
				expectError(t, err, c.want)
			case <-ctx.Done():
				t.Fatal("it does not end")
			}
		})
	}
}
