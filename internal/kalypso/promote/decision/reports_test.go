// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package decision_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/elided"
)

const (
	idA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	idB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

// evening is when the reports are read.
var evening = time.Date(2026, 11, 2, 18, 0, 0, 0, time.UTC)

func TestParseReports(t *testing.T) {
	t.Parallel()
	got, err := decision.ParseReports(fmt.Sprintf(`[
		{ "commit": %[1]q, "context": "kalypso/dev/large/a", "state": "success", "time": "2026-11-02T10:00:00+01:00" },
		{ "commit": %[2]q, "context": "e2e", "state": "error", "time": "2026-11-02T09:00:00.5Z", "creator": "ci[bot]" },
		{ "commit": %[1]q, "context": "b", "state": "pending", "time": "2026-11-02T09:00:00Z", "creator": null },
		{ "commit": %[1]q, "context": "b", "state": "failure", "time": "2026-11-02T09:30:00Z" }
	]`, idA, idB), evening)
	if err != nil {
		t.Fatal(err)
	}
	nine := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	want := map[string][]decision.Report{
		idA: {{Context: "kalypso/dev/large/a", State: decision.Success, Time: nine}, {Context: "b", State: decision.Pending, Time: nine},
			{Context: "b", State: decision.Failure, Time: nine.Add(30 * time.Minute)}},
		idB: {{Context: "e2e", State: decision.Failure, Time: nine.Add(time.Second / 2), Creator: "ci[bot]"}},
	}
	same := func(a, b decision.Report) bool {
		isSame := a.Time.Equal(b.Time)
		a.Time = b.Time
		return isSame && a == b
	}
	if !maps.EqualFunc(got, want, func(a, b []decision.Report) bool { return slices.EqualFunc(a, b, same) }) {
		t.Errorf("got %v", got)
	}
	if got, err := decision.ParseReports(" [ ] ", evening); err != nil || len(got) > 0 {
		t.Errorf("an empty list: %v %v", got, err)
	}
}

func TestParseReportsMistakes(t *testing.T) {
	t.Parallel()
	report := func(replaced, by string) string {
		return strings.Replace(`{"commit":"`+idA+`","context":"ci","state":"success","time":"2026-11-02T09:00:00Z"}`, replaced, by, 1)
	}
	good := report("", "")
	const first = "reports[0] "
	const write = "…jsonencode([{ commit = ..., context = ..., state…"
	const fields = "…Write { commit, context, state…"
	for name, test := range map[string]struct{ text, want string }{
		"nothing":          {"", "…reports is not a…" + write + ": unexpected end of JSON input"},
		"no JSON":          {"nope", "…reports is not a…" + write + ": invalid character 'o' in literal null (expecting 'u')"},
		"null":             {"null", "…reports is not a…" + write},
		"one report":       {good, "…reports is not a…" + write},
		"no end":           {"[" + good, "…reports is not a…" + write + ": unexpected end of JSON input"},
		"two lists":        {"[][]", "…reports is not a…" + write + ": invalid character '[' after top-level value"},
		"half a report":    {`[{"commit":`, "…reports is not a…" + write + ": unexpected end of JSON input"},
		"no comma":         {"[" + good + good + "]", "…reports is not a…" + write + ": invalid character '{' after array element"},
		"a text":           {`["green"]`, first + "is not a report" + fields + ": json: cannot unmarshal string…"},
		"null in the list": {"[\n" + good + ",\n  null\n]", "reports[1] has no context or no time" + fields},
		"an unknown field": {"[" + report(`"time"`, `"when"`) + "]", first + "is not a report" + fields + `: json: unknown field "when"`},
		"a number": {"[\n\t" + report(`"success"`, "1") + "]", first + "is not a report" + fields + ": json: cannot " +
			"unmarshal number…"},
		"no context":       {"[" + report(`"context":"ci",`, "") + "]", first + "has no context or no time" + fields},
		"an empty context": {"[" + report(`"ci"`, `""`) + "]", first + "has no context or no time" + fields},
		"no state":         {"[" + report(`"success"`, `null`) + "]", first + `has the state "". …`},
		"no time":          {"[" + report(`,"time":"2026-11-02T09:00:00Z"`, "") + "]", first + "has no context or no time" + fields},
		"an unknown state": {"[" + report("success", "Ready") + "]", first + `has the state "Ready". …`},
		"a short commit": {"[" + report(idA, "aaaaaaa") + "]", first + `has the commit "aaaaaaa". …` +
			"in small letters"},
		"Flux's revision": {"[" + report(idA, "main@sha1:"+idA) + "]", first + `has the commit "main@sha1:aaaa`},
		"a day": {"[" + report("T09:00:00Z", "") + "]", first + "is not a report" + fields +
			`: parsing time "2026-11-02"…`},
		"a future time": {"[\n" + report("09:00:00Z", "18:05:00Z") + ",\n  " + report("09:00:00Z", "18:05:01Z") + "]",
			`reports[1] has the time 2026-11-02T18:05:01Z, and it is 2026-11-02T18:00:00Z. …`},
		"after other texts": {"[" + report("ci", "ä\\n") + ", " + report("success", "") + "]", `reports[1] has the state "". …`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := decision.ParseReports(test.text, evening)
			if err == nil || !elided.Has(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

// FuzzParseReports: what is read can be written and read again, and every mistake has a place.
func FuzzParseReports(f *testing.F) {
	f.Add(`[{"commit":"` + idA + `","context":"ci","state":"success","time":"2026-11-02T09:00:00Z","creator":"%s"}]`)
	f.Add("[\n{}, null, {\"commit\":1}]")
	f.Add(`[{"commit":"` + idB + `","context":"\ud800","state":"error","time":"0000-01-01T00:00:00+23:59"}]]`)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := decision.ParseReports(text, evening)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "reports") {
				t.Errorf("no place: %s", err)
			}
			return
		}
		again, err := decision.ParseReports(reportsText(got), evening)
		if err != nil || reportsText(again) != reportsText(got) {
			t.Errorf("%q becomes %v: %v", text, again, err)
		}
	})
}

// reportsText writes reports as ParseReports reads them.
func reportsText(reports map[string][]decision.Report) string {
	entries := []map[string]string{}
	for _, commit := range slices.Sorted(maps.Keys(reports)) {
		for _, r := range reports[commit] {
			entries = append(entries, map[string]string{"commit": commit, "context": r.Context, "state": string(r.State),
				"time": r.Time.Format(time.RFC3339Nano), "creator": r.Creator})
		}
	}
	text, err := json.Marshal(entries)
	if err != nil {
		panic(err) // a list of maps of texts has a JSON
	}
	return string(text)
}
