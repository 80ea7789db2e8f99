// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package decision

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// ParseReports reads the JSON text of `reports`: [{ commit, context, state, time, creator? }]. It
// returns the reports by commit.
//
// It is strict, because a report with a mistake would look like a silent cluster, and one that is later than now would win over every later
// one. An error names the entry.
func ParseReports(text string, now time.Time) (map[string][]Report, error) {
	var entries []json.RawMessage
	if err := json.Unmarshal([]byte(text), &entries); err != nil || entries == nil {
		return nil, fmt.Errorf("reports is not a list in JSON. Write jsonencode([{ commit = ..., context = ..., state = ..., "+
			"time = ... }]): %w", cmp.Or(err, errors.New("it is null")))
	}
	all := map[string][]Report{}
	for i, text := range entries {
		e, err := parseReport(text, now)
		if err != nil {
			return nil, fmt.Errorf("reports[%d] %w", i, err)
		}
		all[e.Commit] = append(all[e.Commit], Report{e.Context, stateWords[e.State], e.Time, e.Creator})
	}
	return all, nil
}

// entry is a report in the JSON text.
type entry struct {
	Commit  string    `json:"commit"`
	Context string    `json:"context"`
	State   string    `json:"state"`
	Time    time.Time `json:"time"`
	Creator string    `json:"creator"`
}

// stateWords are the states by their names in the JSON text. Forges also write error.
var stateWords = map[string]State{"success": Success, "failure": Failure, "error": Failure, "pending": Pending}

// maxAhead is how far the clock of a reporter may be ahead.
const maxAhead = 5 * time.Minute

// parseReport reads an entry. An error says what is wrong with it.
func parseReport(text []byte, now time.Time) (e entry, err error) {
	const fields = "Write { commit, context, state, time = \"2026-03-02T09:00:00Z\" } and, if a check names creators, creator"
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	switch err := dec.Decode(&e); {
	case err != nil:
		return e, fmt.Errorf("is not a report. %s: %w", fields, err)
	case e.Context == "" || e.Time.IsZero():
		return e, errors.New("has no context or no time. " + fields)
	case !tree.IsCommitID(e.Commit):
		return e, fmt.Errorf("has the commit %s. Write the whole id of the GitOps commit, in small letters", wording.Quoted(e.Commit))
	case stateWords[e.State] == "":
		return e, fmt.Errorf("has the state %s. Write success, failure or pending", wording.Quoted(e.State))
	case e.Time.After(now.Add(maxAhead)):
		return e, fmt.Errorf("has the time %s, and it is %s. Write when the state began, and check the clocks", e.Time.Format(time.RFC3339),
			now.UTC().Format(time.RFC3339))
	}
	return e, nil
}
