// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
)

func ofTarget(manifests map[string]string) findings.Facts {
	return findings.Facts{Fleet: &fleet.Fleet{Targets: []*fleet.Target{{FullName: "app-live", Manifests: manifests}}}}
}

// breakingOut returns the messages about a deployment target with such manifests.
func breakingOut(manifests map[string]string) (messages []string) {
	for _, f := range findings.OfTargets(context.Background(), ofTarget(manifests), &findings.Rules{}) {
		if f.Code == findings.TextBreaksOut {
			messages = append(messages, f.Message)
		}
	}
	return messages
}

func TestTextsThatBreakOut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", " ": "", "main": "", "./functional-test": "", "../a": "", "https://git.example/a/b.git?ref=c&d=e": "",
		"git@git.example:a/b.git": "", "ssh://git@git.example:22/a": "", "feature/a#1": "", "größe": "", "a - b": "", "a & b | c > d": "",
		"^1.2": "", "~1.2": "", "1.2.x": "", "=1.2.3": "", "<2": "", "true": "", "a*": "", "50%": "", "(a) $b +c": "", "10:30": "",
		"{{ env }}": "two opening braces", "a{{": "two opening braces", "a {": "opening brace at its",
		"a\nb": "a line break", "a\n": "unless it begins with", "a\rb": "a line break",
		"a\u2028b": "the character U+2028", "a\u0085": "the character U+0085", "\x00": "the character U+0000", "a\tb": "the character U+0009",
		"\x1b[1m": "the character U+001B", "\u009b": "the character U+009B", "\ufeffa": "the character U+FEFF",
		"a\u00a0b": "the character U+00A0", "a\ufffe": "the character U+FFFE", "a\u202eb": "the character U+202E",
		"it's": "the character '", `a "b"`: `the character "`, `a\`: `the character \`, "a, b": "the character ,", "[a]": "the character [",
		"a]": "the character ]", "a{b": "the character {", "}": "the character }",
		"a: b": "colon before a space", "a:": "a colon before", "a: ": "a colon before", ":": "a colon before", " :a": "a colon before",
		"a #b": "character # at its beginning", "#a": "character # at its beginning",
		"- a": "the character - at its beginning", "---": "the character - at its", " -a": "the character - at its",
		"?": "the character ? at its", "*": "the character * at its", "&a b": "the character & at its", "!!int 1": "the character ! at its",
		"|": "the character | at its", ">=1.2.3": "the character > at its", "%a": "the character % at its", "@a": "the character @ at its",
		"`a": "the character ` at its",
	} {
		for _, manifests := range []map[string]string{{"a": text}, {text: "a"}} {
			got := breakingOut(manifests)
			if (want == "") != (len(got) == 0) || want != "" && !strings.Contains(got[0], "holds "+want) {
				if !strings.Contains(strings.Join(got, ""), want) || want == "" {
					t.Errorf("%q: got %q, want %q", manifests, got, want)
				}
			}
		}
	}
}

// places are the places in YAML where a template may write a text. Each has one value.
var places = []string{"key: %s\n", "- %s\n", "key: \"%s\"\n", "key: '%s'\n", "[ %s ]\n", "[%s]\n", "{key: %s}\n", "{ key: %s }\n", "key: " +
	"%s # comment\n",
	"key: |\n  %s\n", "key: prefix%ssuffix\n", "[prefix%ssuffix]\n", "[\"%s\"]\n", "{'key': '%s'}\n"}

// staysOneValue returns an error unless a text that the rule allows is one value, in every place.
// Between brackets, the library does not read a text with a question mark.
func staysOneValue(text string) error {
	for _, place := range places {
		written := strings.ReplaceAll(place, "%s", text)
		stream := yaml.NewDecoder(strings.NewReader(written))
		var document yaml.Node
		if err := stream.Decode(&document); err != nil {
			if strings.ContainsAny(place, "[{") && strings.Contains(text, "?") {
				continue
			}
			return fmt.Errorf("%q cannot be read: %w", written, err)
		}
		if err := stream.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
			return fmt.Errorf("%q has more than one document: %w", written, err)
		}
		if number, has := countNodes(&document); number > 4 || has != strings.Contains(place, "#") {
			return fmt.Errorf("%q has %d nodes, and a comment, an anchor or a tag: %t", written, number, has)
		}
		content := document.Content[0].Content
		if strings.Trim(text, " ") == "" && len(content) == 0 {
			continue // between brackets
		}
		value := content[len(content)-1]
		if value.Kind != yaml.ScalarNode || !strings.Contains(value.Value, strings.Trim(text, " ")) {
			return fmt.Errorf("%q has the value %q", written, value.Value)
		}
		inJSON, err := sigsyaml.YAMLToJSON([]byte(written))
		if err != nil {
			return fmt.Errorf("%q cannot be read: %w", written, err)
		}
		var object map[string]any
		var list []any
		if json.Unmarshal(inJSON, &object) != nil && json.Unmarshal(inJSON, &list) != nil || len(object)+len(list) > 1 ||
			bytes.Count(inJSON, []byte("{"))+bytes.Count(inJSON, []byte("[")) > 1 {
			return fmt.Errorf("%q is read as %s", written, inJSON)
		}
	}
	return nil
}

// countNodes returns the number of nodes, and whether one of them has more than content.
func countNodes(n *yaml.Node) (number int, hasMore bool) {
	hasMore = n.Anchor != "" || n.Alias != nil || n.Style&yaml.TaggedStyle != 0 || n.HeadComment+n.LineComment+n.FootComment != ""
	for _, child := range n.Content {
		below, has := countNodes(child)
		number, hasMore = number+below, hasMore || has
	}
	return number + 1, hasMore
}

// Random texts of the characters that mean something in YAML, and of a few others.
func TestAllowedTextsStayOneValue(t *testing.T) {
	t.Parallel()
	characters := []rune(" abx019-?*&!|>%@`#:,[]{}\"'\\~^<=+$()./;_\u00a0\u00fc\u2028\n\t")
	r := rand.New(rand.NewPCG(1, 2))
	allowed := 0
	for range 4_000 {
		text := make([]rune, 1+r.IntN(6))
		for i := range text {
			text[i] = characters[r.IntN(len(characters))]
		}
		if len(breakingOut(map[string]string{"a": string(text)})) > 0 {
			continue
		}
		allowed++
		if err := staysOneValue(string(text)); err != nil {
			t.Error(err)
		}
	}
	if allowed < 100 {
		t.Errorf("only %d texts are allowed", allowed)
	}
}

func FuzzAllowedTextsStayOneValue(f *testing.F) {
	for _, text := range []string{"", "./a", "a: b", "a #b", "*a", "'a'", "a, b", "{a}", "---", "...", "? a", "https://git.example/a?b=c&d",
		"<<", "=", "0x1", "a:b", ":a", "a?", "\u2028", "é"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) || len(breakingOut(map[string]string{"a": text})) > 0 {
			return
		}
		if err := staysOneValue(text); err != nil {
			t.Error(err)
		}
	})
}

// Only a text that would become part of a template fails packages whatever the rules say.
func TestBracesAreAlwaysRefused(t *testing.T) {
	t.Parallel()
	always := []string{}
	for _, f := range findings.OfTargets(t.Context(), ofTarget(map[string]string{
		"a": "{{ env }}", "b": "b {", "c{{": "c", "d": "{d}", "e": "e: f",
	}), nil) {
		if f.Always {
			always = append(always, f.Subject)
		}
	}
	slices.Sort(always)
	const target = "DeploymentTarget/app-live/"
	if !slices.Equal(always, []string{target + "a", target + "b", target + "c{{"}) {
		t.Errorf("got %q", always)
	}
}
