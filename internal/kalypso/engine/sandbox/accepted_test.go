// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import "testing"

// TestAccepted runs large templates that the bounds leave alone.
func TestAccepted(t *testing.T) {
	t.Parallel()
	const assignment = 50_000_000 // the steps of an assignment
	for name, c := range map[string]struct {
		steps        int
		source, want string
	}{
		"a list that grows": {assignment, "{{ $l := list }}{{ range until 4000 }}{{ $l = append $l . }}{{ end }}{{ len $l }}", "4000"},
		"a map that grows": {assignment, "{{ $d := dict }}{{ range until 4000 }}{{ $_ := set $d (toString .) . }}{{ end }}{{ len $d }}",
			"4000"},
		"keys of a large map": {assignment, largeMap + "{{ range until 2200 }}{{ $n = len (keys $d) }}{{ end }}{{ $n }}", "1000"},
		"a part of a large map": {assignment,
			largeMap + `{{ $e := dict "d" $d }}{{ range until 20000 }}{{ $n = len (get $e "d") }}{{ end }}{{ $n }}`, "1000"},
		"words of a text": {assignment, `{{ $n := 0 }}{{ range until 110000 }}{{ $n = len (splitList " " "` + words +
			`") }}{{ end }}{{ $n }}`, "20"},
		"small maps": {assignment, `{{ $n := 0 }}{{ range until 300000 }}{{ $n = len (dict "a" 1 "b" 2 "c" 3) }}{{ end }}{{ $n }}`,
			"3"},
		"different numbers":      {maxSteps, "{{ uniq (concat (until 100000) (until 100000)) | len }}", "100000"},
		"different texts":        {maxSteps, `{{ uniq (splitList " " (repeat 100000 "a b ")) }}`, "[a b ]"},
		"different lists":        {maxSteps, "{{ uniq (list (list 1) 1 nil (list 1) 1.0 nil (list 2) 1) }}", "[[1] 1 <nil> 1 [2]]"},
		"a million numbers":      {maxSteps, "{{ until 1000000 | len }}", "1000000"},
		"a loop to a million":    {maxSteps, "{{ range until 1000000 }}{{ . }}{{ break }}{{ end }}", "0"},
		"no step":                {maxSteps, "{{ untilStep 0 9223372036854775807 0 }}", "[]"},
		"steps away":             {maxSteps, "{{ untilStep 0 9223372036854775807 -1 }}{{ untilStep 0 -9223372036854775807 1 }}", "[][]"},
		"printf of a long text":  {maxSteps, `{{ printf "%s\n[%s]" (repeat 9437184 "x") "y" | len }}`, "9437188"},
		"printf of a text twice": {maxSteps, `{{ printf "%[1]s%[1]s" (repeat 4194304 "x") | len }}`, "8388608"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := execute(t, c.steps, c.source); err != nil || got != c.want {
				t.Errorf("got %q and %v, want %q", got, err, c.want)
			}
		})
	}
}

const (
	// largeMap declares a map of a thousand keys and a number.
	largeMap = "{{ $d := dict }}{{ $n := 0 }}{{ range until 1000 }}{{ $_ := set $d (toString .) . }}{{ end }}"
	words    = "a b c d e f g h i j k l m n o p q r s t"
)

// The bound of what functions make counts the elements of all chunks, however few chunks
// there are. It does not count a map again when a template sets a key.
func TestMade(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]int{
		"{{ $_ := chunk 1000 (until 100000) }}":                                                2 * 100_000 * elementBytes,
		"{{ $d := dict }}{{ range until 100 }}{{ $_ := set $d (toString .) . }}{{ end }}":      100 * elementBytes,
		"{{ $d := dict }}{{ range until 100 }}{{ $_ := unset $d (toString .) }}{{ end }}":      100 * elementBytes,
		`{{ range until 100 }}{{ $_ := get $.Values "list" | default list | first }}{{ end }}`: 100 * elementBytes,
	} {
		p, errs := testLanguage.Parse(source)
		if errs != nil {
			t.Fatal(errs)
		}
		e := testLanguage.NewExecutor()
		e.Begin(t.Context(), Budget{For: "test", Steps: maxSteps})
		list := []any{make([]any, 1000)}
		if _, err := e.Execute(p, testData{Values: map[string]any{"list": list}}); err != nil {
			t.Fatal(err)
		}
		if made := maxMade - e.meter.made; made < want || made > want+want/2 {
			t.Errorf("%s makes %d bytes, want about %d", source, made, want)
		}
	}
}
