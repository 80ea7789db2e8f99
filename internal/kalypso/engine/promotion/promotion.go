// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Result is the result of a decision. It contains no duration that runs with the clock: as
// long as nothing happens, it stays as it is.
type Result struct {
	// Commit is the commit that the environment should be at; empty if nothing qualifies
	// yet. Sources are the commits at which its control plane has to read other repositories;
	// it reads the head of a branch that is not among them.
	Commit  string
	Sources Sources
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
	// Rollback: Current has failed, and Commit is the last release that was verified.
	Rollback Decision = "rollback"
	// Nothing: there is no Current, and nothing is verified.
	Nothing Decision = "nothing"
)

// Candidate is a release that might be chosen: a commit, and sources on which all environments
// before agree.
type Candidate struct {
	Commit, Subject, Author string
	Time                    time.Time
	Sources                 Sources
	State                   Progress
	// Reason says why it is in that state, in a sentence.
	Reason string
	// Until is when a Soaking candidate has soaked everywhere; zero otherwise.
	Until time.Time
}

// Decide returns which release an environment should be at. The comment of the package has
// the rule. It is pure: the same facts give the same decision, in any order of reports. It
// reads only the facts that it needs, newest first, and none after it has decided. With
// Pin or Hold it reads only the head of Target, except to find the sources of Pin.
//
// It returns an error for rules that Check refuses and an abbreviated Pin (a
// problem.List), if it could not read the facts, and if the context ends. Cost: it reads each
// GitOps commit once and judges it once at most. It compares at most maxWork sources, and
// chooses nothing newer if that is not enough.
func Decide(ctx context.Context, r Rules, f Facts, now time.Time) (Result, error) {
	times, err := r.times()
	if err != nil {
		return Result{}, err
	}
	return newDecider(ctx, r, f, now).decide(times)
}

// decide is Decide for valid rules.
func (d *decider) decide(t times) (Result, error) {
	head, err := d.target.head()
	if err != nil {
		return Result{}, d.unreadable(err)
	}
	if head != nil {
		d.at = head
		if err := d.current(); err != nil {
			return Result{}, d.unreadable(err)
		}
	}
	switch {
	case d.Pin != "":
		err = d.pin()
	case d.Hold:
		d.out.Decision, d.out.Reason = Held, "hold = true: "+d.stays()+"."
	case d.lost():
		d.out.Decision = Held
		d.out.Reason = fmt.Sprintf("%s is at %s, which is not among the %d commits of the source's history that were read: a force push took it "+
			"out, it came from another branch, or it is further back. Nothing is chosen. Set pin to the commit that %s should be at.",
			d.Environment, head.carried(), d.line.read, d.Environment)
	default:
		err = d.choose(t)
	}
	switch {
	case d.line.err != nil:
		return Result{}, fmt.Errorf("the history of the source cannot be read: %w", d.line.err)
	case err != nil:
		return Result{}, err
	}
	d.out.Verified = d.out.Verified || d.Candidate != "" && (d.Candidate == d.out.Current || d.Candidate == d.Pin)
	return d.out, nil
}

// decider makes one decision.
type decider struct {
	Rules
	line   *line
	source Reports
	target *branch
	own    *environment   // target with the checks of OnFailure
	after  []*environment // by name
	now    time.Time
	// at is what the environment carries; nil for nothing. sources are those of the newest
	// release of it.
	at      *step
	sources Sources
	out     Result
	// titles name the candidates of out.
	titles []string
}

func newDecider(ctx context.Context, r Rules, f Facts, now time.Time) *decider {
	l := newLine(ctx, f, r.Candidate)
	d := &decider{Rules: r, line: l, source: f.SourceReports, now: now}
	d.own = newEnvironment(l, r.Environment, f.Target, now)
	d.target = d.own.branch
	if r.OnFailure != nil {
		d.own.Checks = r.OnFailure.Checks
	}
	for _, name := range slices.Sorted(maps.Keys(r.After)) {
		e := newEnvironment(l, name, f.After[name], now)
		e.Gate = r.After[name]
		d.after = append(d.after, e)
	}
	return d
}

func (d *decider) unreadable(err error) error {
	return fmt.Errorf("the history of %s cannot be read: %w", d.Environment, err)
}

// current finds the newest release that the environment carries, or one that is not known. If
// a part of the environment carries Rules.Candidate, it is that.
func (d *decider) current() error {
	if !d.at.agree(d.at.newest) { // the order in which they came shows the newest
		if err := d.target.read(); err != nil && !errors.Is(err, errTooMuch) { // choose reports that
			return err
		}
	}
	var ids []string
	for _, p := range d.at.parts {
		if p.at == d.at.newest || p.id == d.Candidate {
			ids = append(ids, p.id)
		}
	}
	d.out.Current = slices.Min(ids)
	if slices.Contains(ids, d.Candidate) {
		d.out.Current = d.Candidate
	}
	d.sources = d.at.sources(func(p part) bool { return p.at == d.at.newest && (p.at > 0 || p.id == d.out.Current) })
	d.out.Commit, d.out.Sources = d.out.Current, d.sources.and(d.at.sources(func(part) bool { return true }))
	return nil
}

// commitAt returns the position of the newest commit that the environment carries; 0 for none.
func (d *decider) commitAt() position {
	if d.at == nil {
		return 0
	}
	return d.at.newest.commit()
}

// lost reports whether the environment is at something that the source does not have.
func (d *decider) lost() bool { return d.at != nil && d.at.newest == 0 && d.Candidate == "" }

// pin chooses the commit that is pinned.
func (d *decider) pin() error {
	sources, err := d.lastWith(d.Pin)
	if err != nil {
		return err
	}
	d.out.Commit, d.out.Sources, d.out.Decision = d.Pin, sources, Pinned
	d.out.Reason = "pin names " + short(d.Pin) + "."
	switch {
	case d.Pin == d.out.Current:
		d.out.Reason = "pin names " + short(d.Pin) + ", which " + d.Environment + " is at. Nothing newer is chosen until it is removed."
	case d.Candidate != "":
	case d.line.find(d.Pin) == 0:
		d.out.Reason += fmt.Sprintf(" It is not among the %d commits of the source's history that were read.", d.line.read)
		return d.abbreviated()
	case d.line.find(d.Pin) < d.commitAt():
		d.out.Reason += fmt.Sprintf(" That is an older commit: %s is at %s.", d.Environment, short(d.out.Current))
	}
	return nil
}

// lastWith returns the sources with which the environment carried a commit last, else those
// with which the environments before did. It reads nothing if the environment carries something
// and does not record sources.
func (d *decider) lastWith(commit string) (Sources, error) {
	if commit == d.out.Current || d.line.single || d.at != nil && len(d.at.sources(func(part) bool { return true })) == 0 {
		return d.out.Sources, nil
	}
	sources, err := d.target.lastWith(commit)
	if err != nil {
		return nil, d.unreadable(err)
	}
	if len(sources) > 0 {
		return sources, nil
	}
	for _, e := range d.after {
		more, err := e.lastWith(commit)
		if err != nil {
			return nil, e.unreadable(err)
		}
		sources = sources.and(more)
	}
	return sources, nil
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

// choose looks for the newest release that is verified everywhere. If there is none, or it may not
// be chosen now, the environment may go back.
func (d *decider) choose(t times) error {
	chosen, err := d.look()
	tooMuch := errors.Is(err, errTooMuch)
	switch {
	case tooMuch:
		chosen = nil
	case err != nil:
		return err
	}
	closed := d.closed(t)
	if chosen != nil && d.isAt(*chosen) {
		if closed == "" {
			d.out.Sources = d.keeping(chosen.Sources)
		}
		chosen = nil
	}
	d.out.Verified = chosen != nil && d.Candidate != ""
	if chosen != nil && closed == "" {
		d.promote(*chosen)
		return nil
	}
	failure, err := d.goBack()
	if err != nil {
		return err
	}
	isBack := d.out.Decision == Rollback
	var decision Decision
	var reason string
	switch {
	case tooMuch:
		decision, reason = d.undecided()
	case chosen == nil && closed != "" && len(d.after) == 0 && len(d.sources) > 0:
		decision, reason = Held, fmt.Sprintf("%s. Its applications stay at their commits, because %s.", d.where(), closed)
	case chosen == nil:
		decision, reason = d.unverified()
	default:
		decision, reason = Held, fmt.Sprintf("%s is %s, but %s", d.title(*chosen), d.everywhere(), closed)
		if !isBack {
			reason += "; until then " + d.stays() + d.newSources(*chosen)
		}
		reason += "." + d.underWay(1)
	}
	if !isBack {
		d.out.Decision = decision
	}
	d.out.Reason = failure + reason
	return nil
}

// closed says why nothing may be chosen now, and until when; "" if something may be.
func (d *decider) closed(t times) string {
	if freeze, frozen := calendar.InForce(t.freezes, d.now); frozen {
		return freeze.String()
	}
	if open, opens := calendar.Next(t.windows, d.now); !open {
		return "no window is open. The next one opens on " + calendar.Moment(opens)
	}
	return ""
}

// promote chooses a release.
func (d *decider) promote(c choice) {
	title := d.title(c)
	d.out.Commit, d.out.Sources, d.out.Decision = c.ID, d.keeping(c.Sources), Promote
	if c.at == d.commitAt() {
		d.out.Commit = d.out.Current
	}
	d.out.Reason = fmt.Sprintf("%s is %s; %s%s.%s", title, d.everywhere(), d.where(), d.newSources(c), d.underWay(1))
}

// newSources names the sources of the environment that a choice of the same commit changes.
func (d *decider) newSources(c choice) string {
	if c.at != d.commitAt() {
		return ""
	}
	return d.sources.unlike(c.Sources)
}

// undecided says that nothing is chosen, because that would compare too much.
func (d *decider) undecided() (Decision, string) {
	decision := UpToDate
	if d.at == nil {
		decision = Nothing
	}
	return decision, fmt.Sprintf("%s. Nothing newer is chosen: the environments had so many combinations of sources that the search for "+
		"a verified one ended early. Set pin to the commit that %s should be at, or read less history.", d.where(), d.Environment)
}

// keeping adds to sources those of the environment that they lack, if an environment before has
// ever followed them. One of these may only have failed to read them, and their heads are not
// tested. What only this environment follows is read at its head, so that it moves on.
func (d *decider) keeping(sources Sources) Sources {
	own := maps.Clone(d.out.Sources)
	maps.DeleteFunc(own, func(name, _ string) bool {
		_, has := sources[name]
		return has || !slices.ContainsFunc(d.after, func(e *environment) bool { return e.followed(name) })
	})
	return sources.and(own)
}
