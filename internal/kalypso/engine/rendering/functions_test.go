// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/Masterminds/sprig/v3"
)

// allowed are the functions that templates can call besides the builtin ones.
// A new version of Sprig that brings more has to be looked through: nothing that
// reads the clock, random numbers, the network or the environment may get in.
const allowed = `
abbrev abbrevboth add add1 add1f addf adler32sum all any
append atoi b32dec b32enc b64dec b64enc base biggest buildCustomCert
camelcase cat ceil chunk clean coalesce compact concat contains
decryptAES deepCopy deepEqual default derivePassword dict dig dir div
divf duration empty ext fail first float64 floor fromJson
get has hasKey hasPrefix hasSuffix hash hello html indent
initial initials int int64 isAbs join js kebabcase keys
kindIs kindOf last list lower max maxf merge mergeOverwrite
min minf mod mul mulf mustAppend mustChunk mustCompact mustDeepCopy
mustFirst mustFromJson mustHas mustInitial mustLast mustMerge mustMergeOverwrite mustPrepend mustPush
mustRegexFind mustRegexFindAll mustRegexMatch mustRegexReplaceAll mustRegexReplaceAllLiteral mustRegexSplit mustRest mustReverse mustSlice
mustToJson mustToPrettyJson mustToRawJson mustUniq mustWithout nindent nospace omit osBase
osClean osDir osExt osIsAbs pick pluck plural prepend print
printf println push quote regexFind regexFindAll regexMatch regexQuoteMeta regexReplaceAll
regexReplaceAllLiteral regexSplit repeat replace rest reverse round semver semverCompare
seq set sha1sum sha256sum sha512sum slice snakecase sortAlpha split
splitList splitn squote stringify sub subf substr swapcase ternary
title toDecimal toJson toPrettyJson toRawJson toString toStrings toYaml trim
trimAll trimPrefix trimSuffix trimall trunc tuple typeIs typeIsLike typeOf
uniq unquote unset until untilStep untitle upper urlJoin urlParse
urlquery values without wrap wrapWith
`

func TestAllowedFunctions(t *testing.T) {
	t.Parallel()
	expect(t, slices.Sorted(maps.Keys(knownFunctions)), strings.Fields(allowed))
}

func TestEveryFunctionOfSprigIsDecidedOn(t *testing.T) {
	t.Parallel()
	ofSprig := sprig.TxtFuncMap()
	for name := range ofSprig {
		_, removed := removedFunctions[name]
		if removed == (knownFunctions[name] != nil) {
			t.Errorf("%s is both removed and known, or neither", name)
		}
	}
	for name := range removedFunctions {
		if ofSprig[name] == nil {
			t.Errorf("Sprig has no function %s any more", name)
		}
	}
	for name := range shallowFunctions {
		if knownFunctions[name] == nil {
			t.Errorf("there is no function %s to be shallow", name)
		}
	}
	for name := range new(meter).checks() {
		if knownFunctions[name] == nil {
			t.Errorf("there is no function %s to check", name)
		}
	}
}

func TestRemovedFunctionsSayWhy(t *testing.T) {
	t.Parallel()
	for name, reason := range removedFunctions {
		err := Parse("manifests[0]", "a: b\n  {{ "+name+" }}")
		expectError(t, err, "manifests[0]", "Line 2, column 6", "the function "+name+" does not exist", reason, "plan and apply would render different bytes")
	}
}

func TestSyntaxErrors(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		source string
		want   []string
	}{
		"fine":                      {"a: {{ .Namespace | upper }}", nil},
		"empty":                     {"", nil},
		"unclosed action":           {"a\nb: {{ .x", []string{"Line 2, column 4: unclosed action"}},
		"only the start":            {"{{", []string{"Line 1, column 1: unclosed action"}},
		"unclosed if":               {"{{ if true }}\nx", []string{"Line 2: unexpected EOF"}},
		"end without start":         {"x {{ end }}", []string{"Line 1, column 3: unexpected {{end}}"}},
		"second action of the line": {"\n{{ .a }} {{ .b ) }} {{ .c }}", []string{"Line 2, column 10: "}},
		"unknown function":          {"a\n  {{ uper .x }}", []string{"Line 2, column 6: there is no function uper; did you mean upper?"}},
		"unknown in a pipe":         {"{{ .x | nothingLikeIt }}", []string{"Line 1, column 9: there is no function nothingLikeIt"}},
		"all unknown ones":          {"{{ aaaaaaaa }}\n{{ if bbbbbbbb }}{{ end }}", []string{"aaaaaaaa", "Line 2, column 7: there is no function bbbbbbbb"}},
		"unknown in a definition":   {`{{ define "x" }}{{ (now).Year }}{{ end }}`, []string{"column 21", "now"}},
		"a hook is no function":     {"{{ kalypso_leave }}", []string{"no function kalypso_leave"}},
		"unknown variable":          {"{{ $x }}", []string{"Line 1, column 1: undefined variable"}},
		"break outside of a loop":   {"{{ break }}", []string{"{{break}} outside {{range}}"}},
		"too deep":                  {strings.Repeat("{{ if true }}", 300) + strings.Repeat("{{ end }}", 300), []string{"nested more than 200 levels"}},
		"too long":                  {strings.Repeat("x", maxSource+1), []string{"more than 1 MiB"}},
		"percent signs":             {"%d {{ %s }}", []string{"Line 1, column 4"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := Parse("tmpl", c.source)
			if c.want == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			expectError(t, err, append(c.want, "tmpl")...)
		})
	}
}

func TestNewReportsEveryTemplate(t *testing.T) {
	t.Parallel()
	f, _ := sample(templateOf("rec", "{{ end }}", "fine", "\n{{ now }}"), templateOf("unused", "{{ if }}"))
	_, err := New(f)
	expectError(t, err,
		"Template/rec (manifests[0], line 7): Manifest 1, line 1, column 1: ",
		"Template/rec (manifests[0], line 7): Manifest 3, line 2, column 4: the function now",
		"Template/unused (manifests[0], line 7): Manifest 1, line 1, column 1: ")
}

func TestExecutionErrors(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		source string
		want   []string
	}{
		"unknown field":       {"a\n  {{ .Foo }}", []string{"line 2, column 6", "there is no .Foo", ".DeploymentTargetName"}},
		"no value":            {"{{ .Labels.none }}", []string{`"<no value>"`}},
		"null":                {"{{ .ConfigData.none }}", []string{`"<no value>"`}},
		"below nothing":       {"{{ (dict \"a\" nil).a.deeper }}", []string{".deeper cannot be read, since what stands before it does not exist"}},
		"below a text":        {"{{ .ConfigData.text.deeper }}", []string{".deeper cannot be read"}},
		"fail":                {`{{ fail "set REGION" }}`, []string{`in {{ fail "set REGION" }}: fail fails: set REGION`}},
		"wrong type":          {`{{ upper .ConfigData.list }}`, []string{"this function takes a string"}},
		"in a definition":     {"{{ define \"x\" }}\n{{ .Foo }}{{ end }}{{ template \"x\" . }}", []string{"line 2, column 4", "there is no .Foo"}},
		"index out of range":  {"{{ index .ConfigData.list 9 }}", []string{"index fails", "out of range"}},
		"missing template":    {`{{ template "none" }}`, []string{`template "none" not defined`}},
		"list of nothing":     {"{{ first .ConfigData.none }}", []string{"an argument does not exist"}},
		"addresses":           {`{{ printf "%p" .ConfigData }}`, []string{"addresses differ"}},
		"addresses in a list": {`{{ list (semver "1.2.3") }}`, []string{"toString"}},
		"size of nothing":     {`{{ chunk 0 .ConfigData.list }}`, []string{"a size of at least 1"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := renderOne(t, c.source, values)
			expectError(t, err, append(c.want, "Template/rec (manifests[0], line 7)", "Manifest 1", "large/shop-live")...)
			for _, noise := range []string{"executing", "kalypso_", "template: ", mainTemplate, "interface {}"} {
				if strings.Contains(err.Error(), noise) {
					t.Errorf("%q is in %q", noise, err)
				}
			}
		})
	}
}

func TestAllFailingManifestsAreReported(t *testing.T) {
	t.Parallel()
	_, err := renderFiles(t, values, templateOf("rec", "{{ .A }}", "fine", "{{ .B }}"), templateOf("ns", "{{ .C }}"), templateOf("cfg", "{{ .D }}"))
	expectError(t, err, "no .A", "no .B", "no .C", "no .D", "Manifest 3", "Template/cfg")
}

func TestMissingTemplate(t *testing.T) {
	t.Parallel()
	f, a := sample()
	delete(f.Templates, "ns")
	r, err := New(f)
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Render(a, config(nil))
	expectError(t, err, "ClusterType/large", `"ns"`)
}
