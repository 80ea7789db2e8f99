// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployments

import "slices"

// DiscrepancyKind is the kind of a difference.
type DiscrepancyKind string

// The kinds of discrepancies.
const (
	// MissingWorkload: an environment does not have the workload.
	MissingWorkload DiscrepancyKind = "workload"
	// OtherSource: the repository, the folder or the ref differs.
	OtherSource DiscrepancyKind = "source"
	// OtherVersion: the version, the build or the commit of the source differs.
	OtherVersion DiscrepancyKind = "version"
	// OtherValue: a value of the configuration differs, or is missing, on a cluster type that
	// has the workload in both environments.
	OtherValue DiscrepancyKind = "value"
)

// kinds are all kinds, the worst first, with the text that people see for each.
var kinds = []struct {
	kind          DiscrepancyKind
	name, meaning string
}{
	{MissingWorkload, "missing workload", "one of the two environments does not have the workload"},
	{OtherSource, "source", "the repository, the folder or the ref differs"},
	{OtherVersion, "version", "the version or the build differs, or the commit of the source if version and build are unknown"},
	{OtherValue, "configuration", "a value of the configuration differs on a cluster type that has the workload in both environments"},
}

// DiscrepancyKinds returns all kinds, the worst first.
func DiscrepancyKinds() []DiscrepancyKind {
	all := make([]DiscrepancyKind, len(kinds))
	for i, k := range kinds {
		all[i] = k.kind
	}
	return all
}

// Rank orders kinds: the worst first, unknown kinds last.
func (k DiscrepancyKind) Rank() int {
	if i := k.position(); i >= 0 {
		return i
	}
	return len(kinds)
}

// Name returns the name of the kind for people. An unknown kind, for example of a newer data
// source, is its own name.
func (k DiscrepancyKind) Name() string {
	if i := k.position(); i >= 0 {
		return kinds[i].name
	}
	return string(k)
}

// Meaning says when two environments differ in this kind; empty if the kind is unknown.
func (k DiscrepancyKind) Meaning() string {
	if i := k.position(); i >= 0 {
		return kinds[i].meaning
	}
	return ""
}

func (k DiscrepancyKind) position() int {
	return slices.Index(DiscrepancyKinds(), k)
}
