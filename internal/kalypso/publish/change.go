// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"fmt"
	"maps"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/consequence"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/diff"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

// Kind is what an operation does to the content of a place, as far as the state shows it.
type Kind string

// The values of a Kind.
const (
	KindSame    Kind = "same"    // the branch is to have what the last apply wrote
	KindCreate  Kind = "create"  // the resource is new
	KindUpdate  Kind = "update"  // content changes
	KindReplace Kind = "replace" // the place or the environment changes: another resource is created there
	KindDestroy Kind = "destroy" // the resource gives its content up
)

// RequestKind is what an operation does to the pull request of the resource.
type RequestKind string

// The values of a RequestKind.
const (
	RequestNone  RequestKind = "none"  // there is nothing to propose, or changes are written without a request
	RequestOpen  RequestKind = "open"  // a request may be opened, and another one be closed
	RequestKeep  RequestKind = "keep"  // the open or closed request is for this content, and stays as it is
	RequestClose RequestKind = "close" // the settings have no pull_request any more
)

// Change is what happens to a place, and why. It is a value: planned makes it from the state and the
// wanted content, and on adds what the branch has.
type Change struct {
	Job         Job
	Kind        Kind
	RequestKind RequestKind
	// Replaces has the names of the attributes that make this another resource.
	Replaces []string
	// Had is the resource at this place before; nil if it had nothing there.
	Had *Applied
	// Wanted is what should be there, and Result is the fleet that says so; nil for a destroy.
	Wanted ownership.Wanted
	Result *engine.Result
	// Attributes are those of the resource after the change.
	Attributes Attributes
	Self       ownership.Self
	// HeldBy names the setting that forbids the destroy; empty for none.
	HeldBy string

	// Seen is what is there, and Decision is what happens to each folder; nil and zero if the branch was
	// not read.
	Seen     *ownership.Seen
	Decision ownership.Decision
	// Excused is the part of the decision's refusals about which a plan only warns: the apply itself may free
	// the folders.
	Excused ownership.Decision
	// Files are the files that change, and Consequences are what that does to clusters. Unread are files whose old
	// content is not known. All are nil if the files were not compared.
	Files        []diff.FileChange
	Consequences []consequence.Consequence
	Unread       []string
	// Before and After are the packages that change, without folders that stay as they are. Before is nil
	// if it is not known: the branch was not read, and the state has cluster types only.
	Before, After engine.Digests
}

// planned adds what the state shows of a change to wanted content. It reads nothing, so planning twice gives the same
// values.
func (c Change) planned() Change {
	job, had, wanted := c.Job, c.Had, c.Wanted
	keys := wanted.Content.Keys()
	c.Kind, c.Self, c.Before = KindSame, job.self(had), engine.Digests{}
	c.After = wanted.Content.Digests(keys, engine.DetailPackage)
	before, detail := engine.Digests{}, job.Detail // the keys of cluster types, if the state has other keys than the settings ask for
	if had != nil {
		c.Attributes = had.Attributes
		c.Before, before = nil, had.Packages.Beside(wanted.Others)
		if had.Detail == engine.DetailPackage {
			c.Before = before
		}
		if had.Detail != detail {
			seen := ownership.Known(job.Memory.BranchAtRefresh)
			detail, before = engine.DetailClusterType, seen.Digests(seen.Keys(), engine.DetailClusterType).Beside(wanted.Others)
		}
	}
	after := wanted.Content.Digests(keys, detail)
	switch {
	case job.Was == nil:
		c.Kind = KindCreate
	case had == nil:
		c.Kind = KindReplace
	case !maps.Equal(before, after):
		c.Kind = KindUpdate
	}
	isSame := c.Kind == KindSame && job.sameFleet(&had.Settings)
	c.Attributes.Packages = wanted.Content.Digests(keys, job.Detail)
	c.Attributes.Kept = keptKeys(c.Result)
	c.Attributes.Status = InSync
	c.Attributes.Summary = c.summary(before.Summary(after, detail), isSame)
	switch c.RequestKind = c.requestKind(isSame); c.RequestKind { //nolint:exhaustive // the others change no planned value
	case RequestKeep:
		c.Attributes.Status = had.Status
	case RequestClose:
		c.Attributes.LastRequest.Replace()
	}
	return c
}

// summary describes the change in one line. That of a change without content is the last one, unless there
// is something to say.
func (c Change) summary(content string, isSame bool) string {
	moved := ""
	if c.Had != nil {
		if names, all := record.MovedSources(c.Had.Release.Sources, c.Job.Release.Sources); len(names) > 0 {
			moved = fmt.Sprintf("; %d of %s changed", len(names), wording.Count(all, "source"))
		}
	}
	switch {
	case c.Kind != KindSame:
		return content + moved
	case c.Job.Detail != c.Had.Detail:
		return "no file changes, only the keys of packages"
	case c.Had.Status == Drifted:
		return "no package changes, only the record if it differs"
	case moved != "" || !isSame:
		return "no package changes" + moved
	}
	return c.Had.Summary
}

// requestKind returns what becomes of the pull request. An open or closed request for the same content stays as
// it is, unless its branch gets another name, or the branch has the content already.
func (c Change) requestKind(isSame bool) RequestKind {
	settings, had := c.Job.Request, c.Had
	switch {
	case settings == nil && had != nil && had.LastRequest.IsOpen():
		return RequestClose
	case settings == nil:
		return RequestNone
	case !isSame || had.Request == nil || had.Status == Drifted || had.Hold || c.Job.OnRemoval != had.OnRemoval ||
		settings.BranchPrefix != had.Request.BranchPrefix || had.Status == InSync && had.LastRequest.IsOpen():
		return RequestOpen
	case had.Status == Proposed || had.Status == Closed:
		return RequestKeep
	}
	return RequestNone
}

// on returns the change of a branch that was read.
func (c Change) on(seen ownership.Seen) Change {
	c.Seen, c.Decision = &seen, ownership.Decide(c.Wanted, c.Self, seen)
	var keys []string
	for key := range seen.Content {
		if _, isWritten := c.Decision.Edits[record.PathOf(c.Wanted.Location, key)]; isWritten {
			keys = append(keys, key)
		}
	}
	c.Before = seen.Content.Digests(keys, engine.DetailPackage)
	return c
}

// query asks a branch for what the change needs: the wanted keys, and those that the resource had.
func (c Change) query() query {
	q := query{at: c.Wanted.Location, keys: c.Wanted.Content.Keys(), known: c.Wanted.Content}
	if c.Had != nil {
		q.instance, q.keys = c.Had.Instance, wording.Sorted(append(q.keys, c.Job.hadKeys()...))
	}
	return q
}

func (c Change) writes() bool {
	return c.RequestKind != RequestKeep && (c.Kind != KindSame || c.Decision.Differs)
}
