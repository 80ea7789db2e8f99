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
	p, err := testLanguage.Parse(source)
	if err != nil {
		return "", err
	}
	text, err := NewExecution(ctx).Execute(p, testData{Name: "test"})
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

// TestEndless runs templates that would write for years. They end with the context.
func TestEndless(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"a long loop":           `{{ range 10000000000 }}{{ "" }}{{ end }}`,
		"a loop in a template":  `{{ define "x" }}{{ range 10000000000 }}{{ "" }}{{ end }}{{ end }}{{ template "x" }}`,
		"a loop that calls":     `{{ define "x" }}{{ "" }}{{ end }}{{ range 10000000000 }}{{ template "x" }}{{ end }}`,
		"exponential recursion": `{{ define "x" }}{{ "" }}{{ if gt . 0 }}{{ template "x" (sub . 1) }}{{ template "x" (sub . 1) }}{{ end }}{{ end }}{{ template "x" 100 }}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, errors.New("it takes too long"))
			defer cancel()
			_, err := executeWithin(ctx, source)
			expectError(t, err, "it takes too long")
		})
	}
}

// TestBounds runs templates with an endless recursion, much output, or a map in itself.
func TestBounds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ source, want string }{
		"endless recursion":          {`{{ define "x" }}{{ template "x" . }}{{ end }}{{ template "x" . }}`, "exceeded maximum template depth"},
		"a manifest calls itself":    {`{{ template "(manifest)" . }}`, "exceeded maximum template depth"},
		"much output":                {"{{ range 1000000 }}" + strings.Repeat("x", 100) + "{{ end }}", "of the package exceeds 16 MiB"},
		"a map in itself":            {`{{ $d := dict }}{{ $_ := set $d "self" $d }}`, "map cannot contain itself"},
		"a map in itself, later":     {`{{ $a := dict }}{{ $b := dict "a" (list $a) }}{{ $_ := set $a "b" $b }}`, "map cannot contain itself"},
		"a map in itself, by merge":  {`{{ $a := dict }}{{ $_ := merge $a (dict "a" $a) }}`, "map cannot contain itself"},
		"a map over itself, by must": {`{{ $a := dict }}{{ $_ := mustMergeOverwrite $a (dict "a" (list $a)) }}`, "map cannot contain itself"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := execute(t, c.source)
			expectError(t, err, c.want)
		})
	}
}
