// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package limits_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/limits"
)

func parse(t *testing.T, text string) *limits.Amount {
	t.Helper()
	a, err := limits.ParseAmount(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// current is a repository of ten packages: a0 to a4 on edge and on cloud.
func current() engine.Digests {
	d := engine.Digests{"edge/README.md": "r", "cloud/README.md": "r", engine.PromotedCommitFile: "t"}
	for i := range 5 {
		d[fmt.Sprintf("edge/a%d", i)] = "1"
		d[fmt.Sprintf("cloud/a%d", i)] = "1"
	}
	return d
}

// drained moves every package from edge to new.
func drained(d engine.Digests) {
	for i := range 5 {
		delete(d, fmt.Sprintf("edge/a%d", i))
		d[fmt.Sprintf("new/a%d", i)] = "1"
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		limits limits.Limits
		change func(engine.Digests)
		want   []string
	}{
		"no limits": {limits.Limits{}, func(d engine.Digests) {
			maps.DeleteFunc(d,
				func(k, _ string) bool { return k != "edge/a0" })
		}, nil},
		"emptied": {limits.Limits{}, func(d engine.Digests) {
			maps.DeleteFunc(d,
				func(k, _ string) bool { return engine.IsPackage(k) })
		}, []string{"allow_empty! 10"}},
		"allowed to be emptied": {limits.Limits{AllowEmpty: true}, func(d engine.Digests) { clear(d) }, nil},
		"removed, a share": {limits.Limits{MaxRemoved: parse(t, "10%")},
			func(d engine.Digests) { delete(d, "edge/a0"); delete(d, "edge/a1") }, []string{"max_removed 2"}},
		"moved":         {limits.Limits{MaxRemoved: parse(t, "10%"), Protect: []string{"*/*"}}, drained, []string{"max_removed 5"}},
		"moved, within": {limits.Limits{MaxRemoved: parse(t, "50%"), Protect: []string{"*/*"}}, drained, nil},
		"moved and removed": {limits.Limits{MaxRemoved: parse(t, "0"), Protect: []string{"*/a0"}},
			func(d engine.Digests) { delete(d, "edge/a0"); delete(d, "cloud/a0"); d["new/a0"] = "1" },
			[]string{"protect! 2", "max_removed 2"}},
		"removed, within the share": {limits.Limits{MaxRemoved: parse(t, "10%")},
			func(d engine.Digests) { delete(d, "edge/a0"); d["edge/b"] = "1" }, nil},
		"removed, below a package": {limits.Limits{MaxRemoved: parse(t, "9%")}, func(d engine.Digests) { delete(d, "edge/a0") },
			[]string{"max_removed 1"}},
		"removed, a count": {limits.Limits{MaxRemoved: parse(t, "0")}, func(d engine.Digests) { delete(d, "edge/a0") },
			[]string{"max_removed 1"}},
		"changed": {limits.Limits{MaxChanged: parse(t, "1"), MaxRemoved: parse(t, "1")},
			func(d engine.Digests) { d["edge/a0"], d["cloud/a1"] = "2", "2"; delete(d, "edge/a4") }, []string{"max_changed 2"}},
		"README.md is not a package": {limits.Limits{MaxChanged: parse(t, "0"), MaxRemoved: parse(t, "0")},
			func(d engine.Digests) { d["edge/README.md"] = "s"; delete(d, engine.PromotedCommitFile) }, nil},
		"protected": {limits.Limits{Protect: []string{"edge/a[01]", "*/a4"}},
			func(d engine.Digests) { delete(d, "edge/a0"); delete(d, "cloud/a1"); delete(d, "cloud/a4") }, []string{"protect! 2"}},
		"protected from removal": {limits.Limits{Protect: []string{"*/*"}}, func(d engine.Digests) { d["edge/a0"] = "2" }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after := current()
			test.change(after)
			var got []string
			for _, v := range test.limits.Check(current(), after) {
				final := ""
				if v.Final {
					final = "!"
				}
				got = append(got, fmt.Sprintf("%s%s %d", v.Limit, final, len(v.Packages)))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFirstCreationIsExempt(t *testing.T) {
	t.Parallel()
	strict := limits.Limits{MaxRemoved: parse(t, "0"), MaxChanged: parse(t, "0")}
	if found := strict.Check(engine.Digests{engine.PromotedCommitFile: "t"}, current()); found != nil {
		t.Errorf("refused: %v", found)
	}
	if found := strict.Check(current(), current()); found != nil {
		t.Errorf("no change is refused: %v", found)
	}
}

func TestParseAmount(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0", "25", "0%", "10%", "100%"} {
		if a, err := limits.ParseAmount(text); err != nil || a.String() != text {
			t.Errorf("%s: %v, %v", text, a, err)
		}
	}
	for text, want := range map[string]string{
		"": "neither a count", "ten": "neither a count", "-1": "neither a count", "2.5": "neither a count", "2.5%": "neither a count",
		"-1%": "neither a count", "9999999999": "neither a count", "1/3": "neither a count",
		"1e9%": "neither a count", "%": "neither a count", "10 %": "neither a count", "101%": "is more than all",
	} {
		if _, err := limits.ParseAmount(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestCheckPattern(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		"*/observability-*": "", "edge/web-live": "", "[ab]/?": "",
		"*/[": "is not a pattern", "observability-*": "matches no package", "a/b/c": "matches no package", "": "matches no package",
	} {
		err := limits.CheckPattern(pattern)
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", pattern, err, want)
		}
	}
}
