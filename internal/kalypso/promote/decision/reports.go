// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package decision

import (
	"bytes"
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
		return nil, withCause(errors.New("reports is not a list in JSON. Write jsonencode([{ commit = ..., context = ..., state = ..., "+
			"time = ... }])"), err)
	}
	all := map[string][]Report{}
	for i, text := range entries {
		var e entry
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		if err := e.understood(dec.Decode(&e), now); err != nil {
			return nil, fmt.Errorf("reports[%d] %w", i, err)
		}
		all[e.Commit] = append(all[e.Commit], Report{e.Context, stateWords[e.State], e.at, e.Creator})
	}
	return all, nil
}

// entry is a report in the JSON text.
type entry struct {
	Commit  string `json:"commit"`
	Context string `json:"context"`
	State   string `json:"state"`
	Time    string `json:"time"`
	Creator string `json:"creator"`
	at      time.Time
}

// stateWords are the states by their names in the JSON text. Forges also write error.
var stateWords = map[string]State{"success": Success, "failure": Failure, "error": Failure, "pending": Pending}

// maxAhead is how far the clock of a reporter may be ahead.
const maxAhead = 5 * time.Minute

// understood returns what is wrong with an entry that was decoded, and sets its time.
func (e *entry) understood(err error, now time.Time) error {
	var misplaced *json.UnmarshalTypeError
	const fields = "Write { commit, context, state, time } and, if a check names creators, creator"
	switch {
	case errors.As(err, &misplaced) && misplaced.Field == "":
		return fmt.Errorf("is a JSON %s. %s", misplaced.Value, fields)
	case errors.As(err, &misplaced):
		return fmt.Errorf("has a %s that is a JSON %s. Write a text", misplaced.Field, misplaced.Value)
	case err != nil:
		return withCause(errors.New("is not a report. "+fields), err)
	}
	for _, field := range []struct{ name, value string }{
		{"commit", e.Commit}, {"context", e.Context}, {"state", e.State}, {"time", e.Time}} {
		if field.value == "" {
			return fmt.Errorf("has no %s. %s", field.name, fields)
		}
	}
	if !tree.IsCommitID(e.Commit) {
		return fmt.Errorf("has the commit %s. Write the whole id of the GitOps commit, in small letters", wording.Quoted(e.Commit))
	}
	if stateWords[e.State] == "" {
		return fmt.Errorf("has the state %s. Write success, failure or pending", wording.Quoted(e.State))
	}
	if e.at, err = time.Parse(time.RFC3339, e.Time); err != nil {
		return fmt.Errorf("has the time %s. Write when the state began, such as \"2026-03-02T09:00:00Z\"", wording.Quoted(e.Time))
	}
	if e.at.After(now.Add(maxAhead)) {
		return fmt.Errorf("has the time %s, and it is %s. Write when the state began, and check the clocks", wording.Quoted(e.Time),
			now.UTC().Format(time.RFC3339))
	}
	return nil
}

// withCause adds the cause to an error, if there is one.
func withCause(err, cause error) error {
	if cause == nil {
		return err
	}
	return fmt.Errorf("%w: %w", err, cause)
}
