// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// failing represents the result of an expression that fails.
const failing = "(fails)"

// TestAsKalypso compares results with those of Kalypso's scheduler. Each line of the file has an expression and its
// result in quotes.
func TestAsKalypso(t *testing.T) {
	t.Parallel()
	renders(t, "testdata/kalypso.tsv", "<{{ %s }}>", "<%s>")
}

// TestTemplates renders whole templates: what they see, and the functions of the provider.
func TestTemplates(t *testing.T) {
	t.Parallel()
	renders(t, "testdata/templates.tsv", "%s", "%s")
}

// renders compares what the lines of a file render to with their quoted results.
func renders(t *testing.T, file, template, result string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		source, quoted, found := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !found {
			continue // a heading
		}
		want, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatal(err)
		}
		got, err := renderOne(t, fmt.Sprintf(template, source), values)
		if err != nil || got != fmt.Sprintf(result, want) {
			t.Errorf("%s gives %q and the error %v, want %q", source, got, err, want)
		}
	}
}

// TestBetterThanKalypso has expressions that fail in Kalypso, lose a part, or write a text
// that is not a value.
func TestBetterThanKalypso(t *testing.T) {
	t.Parallel()
	cases := []struct{ expression, kalypso, want string }{
		{`toYaml "\nx"`, "|4-\n    x", "|4-\n\n    x"},
		{`toYaml (dict "<<" 1)`, "<<: 1", "\"<<\": 1"},
		{`trunc -2 "abc"`, failing, "bc"},
		{`toJson .ConfigData.map`, "", `{"a":{"deep":true},"b":2}`},
		{`hasKey .ConfigData.map "b"`, failing, "true"},
		{`keys .ConfigData.map`, failing, "[a b]"},
		{`typeOf .ConfigData.map`, "map[interface {}]interface {}", "map[string]interface {}"},
		{`seq 3`, failing, "1 2 3"},
		{`fromJson "[1]" | first`, failing, "1"},
		{`get .ConfigData "text"`, failing, "hello"},
		{`toYaml .ConfigData.missing`, "null", failing},
		{`toString .ConfigData.missing`, "<nil>", failing},
	}
	for _, c := range cases {
		t.Run(c.expression, func(t *testing.T) {
			t.Parallel()
			got, err := renderOne(t, "<{{ "+c.expression+" }}>", values)
			if c.want == failing {
				expectError(t, err, "the value does not exist, or is null")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			expect(t, got, "<"+c.want+">")
			if c.want == c.kalypso {
				t.Errorf("no difference from Kalypso")
			}
		})
	}
}
