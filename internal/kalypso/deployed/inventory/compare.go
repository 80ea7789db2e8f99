// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package inventory

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Comparison is the differences between two environments.
type Comparison struct {
	Left  string    `json:"left"`
	Right string    `json:"right"`
	Rows  List[Row] `json:"rows"`
}

// Row is one difference between two environments.
type Row struct {
	// Workload is the name of the workload (Package.Name).
	Workload string `json:"workload"`
	// ClusterType is the cluster type on which a value differs. It is empty for the other
	// differences, which are about the workload on all its cluster types.
	ClusterType string `json:"cluster_type"`
	// What is the field of a package that differs: sources.repo, sources.ref, sources.path,
	// version, or values.<key>. It is "workload" if one environment does not have the workload.
	What string `json:"what"`
	// Left and Right are what only this environment has, as one line; empty for nothing. For
	// "workload", this is the list of the cluster types.
	Left  string `json:"left"`
	Right string `json:"right"`
}

// missingWorkload is the field What of a Row about a workload that one environment does not have.
const missingWorkload = "workload"

// Compare returns the differences between the environments that rules pair, in their order.
// What is unknown in one environment is not a difference. Compare skips an environment without a
// branch or folder.
func Compare(environments []Environment, rules Rules) []Comparison {
	var sides []side
	for _, e := range environments {
		if e.Missing == "" {
			sides = append(sides, sideOf(e))
		}
	}
	slices.SortFunc(sides, func(a, b side) int { return rules.Compare(a.environment, b.environment) })
	var all []Comparison
	for i, left := range sides {
		for _, right := range sides[i+1:] {
			if rules.Pairs(left.environment, right.environment) {
				rows := slices.DeleteFunc(compare(left, right), rules.ignores)
				all = append(all, Comparison{Left: left.environment, Right: right.environment, Rows: rows})
			}
		}
	}
	return all
}

// side is one of two environments, with its workloads by their names.
type side struct {
	environment string
	workloads   map[string]workload
	// open reports that the environment may have more workloads than are known.
	open bool
}

func sideOf(e Environment) side {
	s := side{environment: e.Name, workloads: map[string]workload{}}
	for _, p := range e.Packages {
		if p.Workload == "" && len(p.Unreadable) > 0 {
			s.open = true
			continue
		}
		w, known := s.workloads[p.Name()]
		if !known {
			w = workload{set{}, map[fact]set{}, map[fact]bool{}}
			s.workloads[p.Name()] = w
		}
		w.add(p)
	}
	return s
}

type workload struct {
	clusterTypes set
	facts        map[fact]set
	// known says of each group of facts whether all packages have it.
	known map[fact]bool
}

// fact is Row.What on a cluster type, or on all of them. The facts of a group are known together, or not at all: the
// sources or the version of a workload, or its values on a cluster type.
type fact struct{ clusterType, what string }

func (f fact) group() fact {
	field, _, _ := strings.Cut(f.what, ".")
	return fact{f.clusterType, field}
}

// add adds the facts of a package. What is unknown in one package is unknown in the workload.
func (w workload) add(p Package) {
	for group, isKnown := range map[fact]bool{
		{"", "sources"}: len(p.Sources) > 0, {"", "version"}: p.Version != "", {p.ClusterType, "values"}: p.Values != nil,
	} {
		before, isThere := w.known[group]
		w.known[group] = isKnown && (before || !isThere)
	}
	w.clusterTypes[p.ClusterType] = true
	put := func(clusterType, what, text string) {
		at := fact{clusterType, what}
		if w.facts[at] == nil {
			w.facts[at] = set{}
		}
		w.facts[at][text] = true
	}
	for _, s := range p.Sources {
		folder := path.Clean(strings.TrimLeft(s.Path, "/")) // ./live/ is live, and ./ the whole repository
		for what, text := range map[string]string{"sources.repo": s.Repo, "sources.ref": s.Ref, "sources.path": folder} {
			if text != "" && text != "." {
				put("", what, text)
			}
		}
	}
	version := p.Version
	if p.Build != "" {
		version += " (build " + p.Build + ")"
	}
	put("", "version", version)
	for key, value := range p.Values {
		put(p.ClusterType, "values."+key, value)
	}
}

// compare returns the differences between two environments: missing workloads first, then the
// differences of each workload.
func compare(left, right side) []Row {
	var rows []Row
	for _, name := range keysOf(left.workloads, right.workloads) {
		l, inLeft := left.workloads[name]
		r, inRight := right.workloads[name]
		switch {
		case !inLeft && left.open, !inRight && right.open:
		case !inLeft, !inRight:
			rows = append(rows, Row{name, "", missingWorkload, l.clusterTypes.line(), r.clusterTypes.line()})
		default:
			rows = append(rows, differences(name, l, r)...)
		}
	}
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(a.rank(), b.rank()) })
	return rows
}

func (r Row) rank() int {
	if r.What == missingWorkload {
		return 0
	}
	return 1
}

// differences returns the differences of a workload, sorted by cluster type and by what differs.
func differences(name string, left, right workload) []Row {
	var rows []Row
	all := maps.Clone(left.facts)
	maps.Copy(all, right.facts)
	for at := range all {
		l, r := left.facts[at], right.facts[at]
		if left.known[at.group()] && right.known[at.group()] && !maps.Equal(l, r) {
			rows = append(rows, Row{name, at.clusterType, at.what, l.without(r).line(), r.without(l).line()})
		}
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(strings.Compare(a.ClusterType, b.ClusterType), strings.Compare(a.What, b.What))
	})
	return rows
}

func keysOf[V any](a, b map[string]V) []string {
	return wording.Sorted(slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b)))
}

type set map[string]bool

func (s set) without(other set) set {
	rest := maps.Clone(s)
	maps.DeleteFunc(rest, func(text string, _ bool) bool { return other[text] })
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
