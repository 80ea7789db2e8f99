// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployments

import "slices"

// DiscrepancyKind is the kind of a difference.
type DiscrepancyKind string

// The kinds of discrepancies.
const (
	// MissingWorkload: an environment has nothing of the workload.
	MissingWorkload DiscrepancyKind = "workload"
	// OtherSource: the repository, the folder or the ref differs.
	OtherSource DiscrepancyKind = "source"
	// OtherVersion: another version, build or commit of the source.
	OtherVersion DiscrepancyKind = "version"
	// OtherValue: another value of the configuration, or none, on a cluster type that both
	// have it on.
	OtherValue DiscrepancyKind = "value"
)

// kinds are all kinds, the gravest first, with the text that people see for each.
var kinds = []struct {
	kind          DiscrepancyKind
	name, meaning string
}{
	{MissingWorkload, "missing workload", "one of the two environments does not have the workload"},
	{OtherSource, "source", "the repository, the folder or the ref differs"},
	{OtherVersion, "version", "the version or the build differs, or the commit of the source if those are not known"},
	{OtherValue, "configuration", "a value of the configuration differs on a cluster type that has the workload in both environments"},
}

// DiscrepancyKinds returns all kinds, the gravest first.
func DiscrepancyKinds() []DiscrepancyKind {
	all := make([]DiscrepancyKind, len(kinds))
	for i, k := range kinds {
		all[i] = k.kind
	}
	return all
}

// Rank orders kinds, the gravest first, and after them those that are not known.
func (k DiscrepancyKind) Rank() int {
	if i := k.position(); i >= 0 {
		return i
	}
	return len(kinds)
}

// Name is the name of the kind for people. It is the kind itself if that is not known, for
// example one of a newer data source.
func (k DiscrepancyKind) Name() string {
	if i := k.position(); i >= 0 {
		return kinds[i].name
	}
	return string(k)
}

// Meaning says when two environments differ so; empty if it is not known.
func (k DiscrepancyKind) Meaning() string {
	if i := k.position(); i >= 0 {
		return kinds[i].meaning
	}
	return ""
}

func (k DiscrepancyKind) position() int {
	return slices.Index(DiscrepancyKinds(), k)
}
