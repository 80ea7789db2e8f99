// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployments

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// maxDiscrepancies limits the discrepancies that Compare lists for all environments, because
// the state contains each of them. Every pair of environments gets an equal share. If a pair
// needs less, the other pairs get the rest.
const maxDiscrepancies = 10_000

// Comparison is the differences between two environments.
type Comparison struct {
	Left, Right   string
	Discrepancies []Discrepancy
	// More is how many discrepancies are not listed.
	More int
}

// Compare returns the differences between the environments that rules name, in their order.
// In an environment, a workload has sets of sources and versions, and values on each cluster
// type. A value that is unknown in one environment is not a difference. Compare skips an
// environment without a branch or folder. If there are very many discrepancies, it lists
// only the first ones of each pair.
func Compare(environments []Environment, rules Rules) []Comparison {
	var all []side
	for _, e := range environments {
		if e.Missing == "" {
			all = append(all, sideOf(e, rules))
		}
	}
	slices.SortFunc(all, func(a, b side) int { return rules.Compare(a.environment, b.environment) })
	var found []Comparison
	for i, left := range all {
		for _, right := range all[i+1:] {
			if rules.Pairs(left.environment, right.environment) {
				found = append(found, compare(left, right, rules))
				share(found, maxDiscrepancies)
			}
		}
	}
	return found
}

// share divides the discrepancies that may be listed among all comparisons.
func share(comparisons []Comparison, left int) {
	order := make([]*Comparison, len(comparisons))
	for i := range comparisons {
		order[i] = &comparisons[i]
	}
	slices.SortStableFunc(order, func(a, b *Comparison) int { return cmp.Compare(len(a.Discrepancies), len(b.Discrepancies)) })
	for i, c := range order {
		told := min(len(c.Discrepancies), left/(len(order)-i))
		c.More += len(c.Discrepancies) - told
		if told < len(c.Discrepancies) {
			c.Discrepancies = slices.Clone(c.Discrepancies[:told])
		}
		left -= told
	}
}

// side is one of two environments, with its workloads by their names.
type side struct {
	environment string
	workloads   map[string]*workload
	// unnamed are the cluster types with a package of an unknown workload. Each workload may
	// have more packages there.
	unnamed set
}

func sideOf(e Environment, rules Rules) side {
	s := side{e.Name, map[string]*workload{}, set{}}
	for _, p := range e.Packages {
		if p.Workload == "" && p.Partial.Workload {
			s.unnamed[p.ClusterType] = true
			continue
		}
		w := s.workloads[p.Name()]
		if w == nil {
			w = &workload{clusterTypes: set{}, sources: set{}, versions: set{}, values: map[string]map[string]set{}}
			s.workloads[p.Name()] = w
		}
		w.add(p, rules)
	}
	return s
}

// open reports whether workloads may have more packages than are known, on any cluster type.
func (s side) open() bool { return len(s.unnamed) > 0 }

// comparison is two environments, and the differences between them.
type comparison struct {
	left, right side
	rules       Rules
	found       []Discrepancy
}

// compare returns the differences between two environments: in workloads, then in their
// sources, versions and values.
func compare(left, right side, rules Rules) Comparison {
	c := comparison{left: left, right: right, rules: rules}
	for _, name := range keysOf(left.workloads, right.workloads) {
		c.workload(name, left.workloads[name], right.workloads[name])
	}
	slices.SortStableFunc(c.found, func(a, b Discrepancy) int {
		return cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind))
	})
	return Comparison{Left: left.environment, Right: right.environment, Discrepancies: c.found}
}

// note records a discrepancy, with the values of both sides.
func (c *comparison) note(d Discrepancy, left, right set) {
	if c.rules.ignores(d.Kind, d.Workload, d.Key) {
		return
	}
	d.Left, d.Right, d.LeftValue, d.RightValue = c.left.environment, c.right.environment, left.line(), right.line()
	c.found = append(c.found, d.told())
}

// workload compares a workload; nil is a workload that a side does not have, as far as
// known.
func (c *comparison) workload(name string, l, r *workload) {
	if l == nil || r == nil {
		if l == nil && !c.left.open() || r == nil && !c.right.open() {
			c.note(Discrepancy{Kind: MissingWorkload, Workload: name}, l.places(), r.places())
		}
		return
	}
	if c.differ(l.sources, r.sources) {
		c.note(Discrepancy{Kind: OtherSource, Workload: name}, l.sources.without(r.sources), r.sources.without(l.sources))
	}
	if c.differ(l.versions, r.versions) {
		c.note(Discrepancy{Kind: OtherVersion, Workload: name}, l.versions.without(r.versions), r.versions.without(l.versions))
	}
	for _, clusterType := range slices.Sorted(maps.Keys(l.values)) {
		c.valuesOf(Discrepancy{Kind: OtherValue, Workload: name, ClusterType: clusterType}, l.values[clusterType], r.values[clusterType])
	}
}

// differ reports whether two sets of a workload are known and differ.
func (c *comparison) differ(l, r set) bool {
	return l != nil && r != nil && differ(l, r, c.left.open(), c.right.open())
}

// valuesOf compares the values of a workload on a cluster type. It ignores nil, the unknown
// values of a side.
func (c *comparison) valuesOf(of Discrepancy, l, r map[string]set) {
	if l == nil || r == nil {
		return
	}
	moreLeft, moreRight := c.left.unnamed[of.ClusterType], c.right.unnamed[of.ClusterType]
	for _, key := range keysOf(l, r) {
		if differ(l[key], r[key], moreLeft, moreRight) {
			of.Key = key
			c.note(of, l[key], r[key])
		}
	}
}

// keysOf returns the keys of two maps, sorted.
func keysOf[V any](a, b map[string]V) []string {
	return wording.Sorted(slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b)))
}

func (d Discrepancy) told() Discrepancy {
	left, right := d.LeftValue+" in "+d.Left, d.RightValue+" in "+d.Right
	switch {
	case d.RightValue == "":
		right = "not in " + d.Right
	case d.LeftValue == "":
		left, right = right, "not in "+d.Left
	}
	switch d.Kind {
	case MissingWorkload:
		d.Text = fmt.Sprintf("%s: on %s, %s", d.Workload, left, right)
	case OtherValue:
		d.Text = fmt.Sprintf("%s on %s: %s = %s, %s", d.Workload, d.ClusterType, d.Key, left, right)
	default:
		d.Text = fmt.Sprintf("%s: %s %s, %s", d.Workload, d.Kind, left, right)
	}
	return d
}

// workload is one workload in an environment. A set is nil if it is unknown for a package of
// the workload.
type workload struct {
	clusterTypes, sources, versions set
	// values are the sets of values by cluster type and key; nil for a cluster type with
	// unknown values.
	values map[string]map[string]set
}

// places returns the cluster types of a workload; nil for a nil workload.
func (w *workload) places() set {
	if w == nil {
		return nil
	}
	return w.clusterTypes
}

func (w *workload) add(p Package, rules Rules) {
	w.clusterTypes[p.ClusterType] = true
	var sources []string
	if !p.Partial.Sources {
		for _, s := range p.Sources {
			sources = append(sources, rules.source(p.Name(), s))
		}
	}
	w.sources = w.sources.with(sources...)
	version := p.Version
	if version != "" && p.Build != "" {
		version += " (build " + p.Build + ")"
	}
	w.versions = w.versions.with(version)
	values, known := w.values[p.ClusterType]
	if p.Values == nil || p.Partial.Values || known && values == nil {
		w.values[p.ClusterType] = nil
		return
	}
	if !known {
		values = map[string]set{}
		w.values[p.ClusterType] = values
	}
	for key, value := range p.Values {
		if values[key] == nil {
			values[key] = set{}
		}
		values[key][value] = true
	}
}

type set map[string]bool

// with adds texts. If a text is unknown, or texts is empty, the whole set becomes unknown.
func (s set) with(texts ...string) set {
	if s == nil || len(texts) == 0 || slices.Contains(texts, "") {
		return nil
	}
	for _, text := range texts {
		s[text] = true
	}
	return s
}

// differ reports whether two sets differ. moreOfA and moreOfB report whether a set may have
// unknown members.
func differ(a, b set, moreOfA, moreOfB bool) bool {
	switch {
	case maps.Equal(a, b):
		return false
	case !moreOfA && !moreOfB:
		return true
	}
	return !moreOfB && len(a.without(b)) > 0 || !moreOfA && len(b.without(a)) > 0
}

// without returns the members that another set does not have.
func (s set) without(other set) set {
	rest := set{}
	for text := range s {
		if !other[text] {
			rest[text] = true
		}
	}
	return rest
}

// maxLine is how many characters of a value a line shows.
const maxLine = 200

// line lists the first texts of a set as one line; empty for an empty set.
func (s set) line() string {
	lines := slices.Sorted(maps.Keys(s))
	for i, text := range lines {
		lines[i] = oneLine(text)
	}
	return wording.First(lines, wording.MaxListed)
}

// oneLine returns a text as one line. It quotes a text that is empty or has several lines,
// and cuts a long one.
func oneLine(text string) string {
	if runes := []rune(text); len(runes) > maxLine {
		text = string(runes[:maxLine]) + "…"
	}
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}

// String returns the source as one line: "https://host/shop#main:live". Sources of the same
// folder have the same line.
func (s Source) String() string {
	line := s.Repo
	if s.Ref != "" {
		line += "#" + s.Ref
	}
	if folder := path.Clean(strings.TrimLeft(s.Path, "/")); s.Path != "" && folder != "." {
		line += ":" + folder
	}
	return line
}
