// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Result is the result of a decision. It contains no duration that runs with the clock: as
// long as nothing happens, it stays as it is.
type Result struct {
	// Commit is the commit that the environment should be at; empty if nothing qualifies
	// yet.
	Commit string
	// Current is the commit that it is at: the newest that it carries; empty for none.
	Current  string
	Decision Decision
	// Reason says why, in sentences.
	Reason string
	// Candidates are those that Decide considered, newest first. They are newer than
	// Current. The last one is the first that is verified, or that is older than all
	// commits that an environment before has had. There are none with Pin or Hold.
	Candidates []Candidate
	// Verified reports whether Rules.Candidate is verified. It is also true if the
	// environment is at Rules.Candidate, or if that is pinned. Otherwise it is false with
	// Hold. Only Commit shows whether a window is open.
	Verified bool
}

// Decision is the decision for the environment.
type Decision string

// The decisions.
const (
	// Promote: to something newer than Current.
	Promote Decision = "promote"
	// UpToDate: nothing newer is verified.
	UpToDate Decision = "up_to_date"
	// Held: by Hold; or something newer is verified and no window is open; or Current is
	// not in the source's history.
	Held Decision = "held"
	// Pinned: Commit is Pin.
	Pinned Decision = "pinned"
	// Nothing: there is no Current, and nothing is verified.
	Nothing Decision = "nothing"
)

// Candidate is a commit that might be chosen.
type Candidate struct {
	Commit, Subject, Author string
	Time                    time.Time
	State                   Progress
	// Reason says why it is in that state, in a sentence.
	Reason string
	// Until is when a Soaking candidate has soaked everywhere; zero otherwise.
	Until time.Time
}

// Decide returns which commit an environment should be at. The comment of the package has
// the rule. It is pure: the same facts give the same decision, in any order of reports. It
// reads only the facts that it needs, newest first, and none after it has decided. With
// Pin or Hold it reads only the head of Target.
//
// It returns an error for rules that Check refuses and an abbreviated Pin (a
// problem.List), and if it could not read the facts. Cost: it reads each GitOps commit
// once and judges it once at most.
func Decide(r Rules, f Facts, now time.Time) (Result, error) {
	windows, err := r.openings()
	if err != nil {
		return Result{}, err
	}
	d := newDecider(r, f, now)
	head, err := d.target.head()
	if err != nil {
		return Result{}, d.unreadable(err)
	}
	if head != nil {
		d.at = head
		d.out.Current = d.current()
		d.out.Commit = d.out.Current
	}
	switch {
	case r.Pin != "":
		err = d.pin()
	case r.Hold:
		d.out.Decision, d.out.Reason = Held, "hold = true: "+d.stays()+"."
	case d.lost():
		d.out.Decision = Held
		d.out.Reason = fmt.Sprintf("%s is at %s, which is not among the %d commits of the source's history that were read: a force push took it "+
			"out, it came from another branch, or it is further back. Nothing is chosen. Set pin to the commit that %s should be at.",
			r.Environment, head.carried(), d.line.read, r.Environment)
	default:
		err = d.choose(windows)
	}
	switch {
	case d.line.err != nil:
		return Result{}, fmt.Errorf("the history of the source cannot be read: %w", d.line.err)
	case err != nil:
		return Result{}, err
	}
	d.out.Verified = d.out.Verified || r.Candidate != "" && (r.Candidate == d.out.Current || r.Candidate == r.Pin)
	return d.out, nil
}

// decider makes one decision.
type decider struct {
	Rules
	line   *line
	source Reports
	target *branch
	after  []*environment // by name
	now    time.Time
	// at is the commits that the environment carries; nil for nothing.
	at  *step
	out Result
}

func newDecider(r Rules, f Facts, now time.Time) *decider {
	l := newLine(f.Source)
	if r.Candidate != "" {
		l = newLine(only(r.Candidate))
	}
	d := &decider{Rules: r, line: l, source: f.SourceReports, target: newBranch(l, f.Target, now), now: now}
	for _, name := range slices.Sorted(maps.Keys(r.After)) {
		d.after = append(d.after, &environment{
			Gate: r.After[name], branch: newBranch(l, f.After[name].History, now), name: name,
			reports: f.After[name].Reports, verdicts: map[string]verdict{}, ordered: r.Candidate == "",
		})
	}
	return d
}

func (d *decider) unreadable(err error) error {
	return fmt.Errorf("the history of %s cannot be read: %w", d.Environment, err)
}

// current returns the newest commit that the environment carries, or one that is not
// known. If a part of the environment carries Rules.Candidate, it returns that.
func (d *decider) current() string {
	ids := slices.Sorted(maps.Values(d.at.Carried))
	if d.Candidate != "" && slices.Contains(ids, d.Candidate) {
		return d.Candidate
	}
	return ids[slices.IndexFunc(ids, func(id string) bool { return d.line.find(id) == d.at.newest })]
}

// lost reports whether the environment is at something that the source does not have.
func (d *decider) lost() bool { return d.at != nil && d.at.newest == 0 && d.Candidate == "" }

// pin chooses the commit that is pinned.
func (d *decider) pin() error {
	d.out.Commit, d.out.Decision = d.Pin, Pinned
	d.out.Reason = "pin names " + short(d.Pin) + "."
	switch {
	case d.Pin == d.out.Current:
		d.out.Reason = "pin names " + short(d.Pin) + ", which " + d.Environment + " is at. Nothing newer is chosen until it is removed."
	case d.Candidate != "":
	case d.line.find(d.Pin) == 0:
		d.out.Reason += fmt.Sprintf(" It is not among the %d commits of the source's history that were read.", d.line.read)
		return d.abbreviated()
	case d.at != nil && d.line.find(d.Pin) < d.at.newest:
		d.out.Reason += fmt.Sprintf(" That is back: %s is at %s.", d.Environment, short(d.out.Current))
	}
	return nil
}

// abbreviated refuses a pin that is the beginning of ids that were read: a later commit
// could change what it stands for, and the record would hold no commit.
func (d *decider) abbreviated() error {
	var ids []string
	for _, id := range slices.Sorted(maps.Keys(d.line.at)) {
		if strings.HasPrefix(id, strings.ToLower(d.Pin)) {
			ids = append(ids, strconv.Quote(shown(id)))
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return problem.List{{Summary: "Invalid promotion", Subject: "pin", Detail: fmt.Sprintf(
		"%q is abbreviated. Write the whole id: %s.", shown(d.Pin), wording.First(ids, maxListed))}}
}

// choose looks for the newest commit that is verified everywhere.
func (d *decider) choose(windows []opening) error {
	chosen, err := d.look()
	if err != nil {
		return err
	}
	if chosen == nil {
		d.out.Decision, d.out.Reason = d.unverified()
		return nil
	}
	d.out.Verified = d.Candidate != ""
	if open, opens := next(windows, d.now); !open {
		d.out.Decision = Held
		d.out.Reason = fmt.Sprintf("%s is %s, but no window is open. The next one opens on %s; until then %s.%s", chosen.title(), d.everywhere(),
			moment(opens), d.stays(), d.underWay(1))
		return nil
	}
	d.out.Commit, d.out.Decision = chosen.ID, Promote
	d.out.Reason = fmt.Sprintf("%s is %s; %s.%s", chosen.title(), d.everywhere(), d.where(), d.underWay(1))
	return nil
}

// look evaluates candidates, newest first, and returns the first that is verified. It stops
// at a candidate that is older than all commits that an environment before has had.
func (d *decider) look() (*SourceCommit, error) {
	current := d.line.find(d.out.Current)
	for i := 0; d.line.of(i) > current; i++ {
		c, ok := d.line.candidate(i)
		if !ok {
			break
		}
		f, err := d.evaluate(c)
		if err != nil {
			return nil, err
		}
		d.out.Candidates = append(d.out.Candidates, f.of(c))
		if f.state == Verified {
			return &c, nil
		}
		if slices.ContainsFunc(d.after, func(e *environment) bool { return d.line.of(i) < e.first() }) {
			break
		}
	}
	return nil, nil
}

// evaluate finds the state of a candidate: that of the first gate that it does not pass.
// Gates that need no reports come first. If the candidate soaks in several environments,
// the longest soak counts.
func (d *decider) evaluate(c SourceCommit) (finding, error) {
	for _, e := range d.after {
		if f, err := e.standing(c); err != nil || f.state != "" {
			return f, err
		}
	}
	if f, err := d.had(c); err != nil || f.state != "" {
		return f, err
	}
	if f, err := d.checked(c); err != nil || f.state != "" {
		return f, err
	}
	worst := finding{state: Verified, why: strings.TrimPrefix(d.everywhere(), string(Verified))}
	for _, e := range d.after {
		f, err := e.reported(c)
		switch {
		case err != nil || f.state != Verified && f.state != Soaking:
			return f, err
		case f.until.After(worst.until):
			worst = f
		}
	}
	return worst, nil
}

// had looks whether the environment itself has left a candidate: backwards, or, if
// there is no history of a source, at all.
func (d *decider) had(c SourceCommit) (finding, error) {
	if err := d.target.read(); err != nil {
		return finding{}, d.unreadable(err)
	}
	if f := d.target.departed(c, d.Environment); f.state != "" {
		return f, nil
	}
	if d.Candidate != "" && len(d.target.deployed[d.line.find(c.ID)]) > 0 {
		return finding{state: Reverted, why: fmt.Sprintf(" in %s, which had it before it came to %s; to go back to it, pin it, or give the old "+
			"content a new id", d.Environment, d.at.carried())}, nil
	}
	return finding{}, nil
}

// checked compares the reports on a candidate with the checks of the source.
func (d *decider) checked(c SourceCommit) (finding, error) {
	if len(d.SourceChecks) == 0 {
		return finding{}, nil
	}
	reports, err := d.source.on(c.ID)
	if err != nil {
		return finding{}, fmt.Errorf("the reports on the source commit %s cannot be read: %w", short(c.ID), err)
	}
	switch v := judge(d.SourceChecks, reports); v.outcome {
	case Failure:
		return finding{state: Failed, why: " on the source commit itself: " + v.why}, nil
	case Success:
		return finding{}, nil
	default:
		return finding{state: Waiting, why: " for the source commit itself: " + v.why}, nil
	}
}
