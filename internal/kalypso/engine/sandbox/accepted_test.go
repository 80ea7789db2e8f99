// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import "testing"

// TestAccepted runs large templates that the bounds leave alone.
func TestAccepted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ source, want string }{
		"a list that grows":      {"{{ $l := list }}{{ range until 2000 }}{{ $l = append $l . }}{{ end }}{{ len $l }}", "2000"},
		"a map that grows":       {largeMap + "{{ len $d }}", "1000"},
		"words of a text":        {`{{ range until 1000 }}{{ $n := splitList " " "a b c d" }}{{ end }}`, ""},
		"some numbers":           {"{{ uniq (concat (until 1000) (until 1000)) | len }}", "1000"},
		"different lists":        {`{{ uniq (list (list 1) 1 nil (list 1) 1.0 nil (list 2) "1" 1) }}`, "[[1] 1 <nil> 1 [2] 1]"},
		"a million numbers":      {"{{ until 1000000 | len }}", "1000000"},
		"a loop to a million":    {"{{ range until 1000000 }}{{ . }}{{ break }}{{ end }}", "0"},
		"no step":                {"{{ untilStep 0 9223372036854775807 0 }}", "[]"},
		"steps away":             {"{{ untilStep 0 9223372036854775807 -1 }}{{ untilStep 0 -9223372036854775807 1 }}", "[][]"},
		"printf of a long text":  {`{{ printf "%s\n[%s]" (repeat 8000000 "x") "y" | len }}`, "8000004"},
		"printf of a text twice": {`{{ printf "%[1]s%[1]s" (repeat 4194304 "x") | len }}`, "8388608"},
		"a version in a list":    {`{{ list (semver "1.2.3") }}{{ toJson (semver "v1.2") }}`, `[1.2.3]"1.2.0"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := execute(t, c.source); err != nil || got != c.want {
				t.Errorf("got %q and %v, want %q", got, err, c.want)
			}
		})
	}
}

// largeMap declares a map of a thousand keys.
const largeMap = "{{ $d := dict }}{{ range until 1000 }}{{ $_ := set $d (toString .) . }}{{ end }}"
