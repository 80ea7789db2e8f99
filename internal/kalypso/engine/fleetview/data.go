// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleetview

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/markdown"
)

// data is a fleet in the form of the page. Texts contains every text once, and rows contain
// positions of texts. Values that many packages share, such as their sources, exist once,
// too.
type data struct {
	Texts         []string `json:"texts"`
	Environments  []row    `json:"environments"`
	Packages      [][]int  `json:"packages"`
	Sources       [][]any  `json:"sources"`
	Values        [][]int  `json:"values"`
	Changed       [][]int  `json:"changed"`
	Unreadable    [][]int  `json:"unreadable"`
	Discrepancies [][]int  `json:"discrepancies"`
	Compared      [][]int  `json:"compared"`
	Changes       []row    `json:"changes"`
	Time          int      `json:"time"`
}

// row contains positions of texts, and lists of positions.
type row []any

// maxText is how many bytes of one text the page contains, as for a file in a configuration.
const maxText = 4000

// encoder gathers data.
type encoder struct {
	data
	texts map[string]int
	sets  map[string]int // kind and content of a set, to its position
}

// encode returns a fleet as JSON for a script element: encoding/json writes <, > and & as
// escapes.
func encode(f deployments.Fleet) []byte {
	e := &encoder{texts: map[string]int{}, sets: map[string]int{}, data: data{
		Environments: []row{}, Packages: [][]int{}, Sources: [][]any{}, Values: [][]int{}, Changed: [][]int{}, Unreadable: [][]int{},
		Discrepancies: [][]int{}, Compared: [][]int{}, Changes: []row{},
	}}
	e.text("")
	e.Time = e.text(stamp(f.Time))
	for _, environment := range f.Environments {
		e.environment(environment)
	}
	for _, d := range differences(f) {
		e.Discrepancies = append(e.Discrepancies, e.all(d.Kind.Name(), d.Workload, strings.Join(d.clusterTypes, ", "), d.Key, d.Left, d.Right,
			d.LeftValue, d.RightValue))
	}
	for _, pair := range compared(f) {
		e.Compared = append(e.Compared, e.all(pair[:]...))
	}
	text, err := json.Marshal(e.data)
	if err != nil {
		panic(err) // texts and numbers can always be encoded
	}
	return text
}

func (e *encoder) environment(environment deployments.Environment) {
	name := e.text(environment.Name)
	e.Environments = append(e.Environments, row{
		name, e.text(environment.Head), e.text(stamp(environment.Time)), e.all(environment.PromotedCommits...),
		e.text(string(environment.Health.State)), e.text(environment.Health.Reason), e.all(environment.Unreadable...),
		e.text(environment.Missing()),
	})
	for _, p := range environment.Packages {
		e.Packages = append(e.Packages, slices.Concat(
			[]int{name}, e.all(p.ClusterType, p.DeploymentTarget, p.Workload, p.Workspace, p.Namespace, p.Version, p.Build, p.Commit,
				string(p.Health.State), p.Health.Reason),
			[]int{
				e.sources(p.Sources), e.values(p.Values),
				set(e, &e.Changed, "changed", e.all(p.Changed.Commit, stamp(p.Changed.Time), p.Changed.Author)),
				set(e, &e.Unreadable, "unreadable", e.all(p.Unreadable...)),
			}))
	}
	for _, c := range environment.History {
		e.Changes = append(e.Changes, row{
			name, e.text(c.Commit), e.text(c.Author), e.text(c.Subject), e.text(stamp(c.Time)), e.text(c.Run),
			e.all(c.PromotedCommits...), e.all(c.Added...), e.all(c.Changed...), e.all(c.Removed...),
		})
	}
}

func (e *encoder) sources(sources []deployments.Source) int {
	all := make([]any, len(sources))
	for i, s := range sources {
		all[i] = e.all(s.Kind, s.Repo, s.Ref, s.Path, s.Commit)
	}
	return set(e, &e.Sources, "sources", all)
}

// values returns the position of a configuration, with keys and values in turns; -1 for nil.
func (e *encoder) values(values map[string]string) int {
	if values == nil {
		return -1
	}
	all := []int{}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		all = append(all, e.text(key), e.text(values[key]))
	}
	return set(e, &e.Values, "values", all)
}

// set returns the position of a list in a list of lists, to which it adds each list once.
func set[T any](e *encoder, in *[][]T, kind string, list []T) int {
	key := kind + fmt.Sprint(list)
	position, known := e.sets[key]
	if !known {
		position = len(*in)
		e.sets[key] = position
		*in = append(*in, list)
	}
	return position
}

func (e *encoder) all(texts ...string) []int {
	positions := make([]int, len(texts))
	for i, text := range texts {
		positions[i] = e.text(text)
	}
	return positions
}

func (e *encoder) text(text string) int {
	position, known := e.texts[text]
	if !known {
		position = len(e.Texts)
		e.texts[text] = position
		e.Texts = append(e.Texts, seen(text))
	}
	return position
}

// seen returns a text without invisible characters, and without characters that reverse the
// direction of the text around them.
func seen(text string) string {
	text = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	return markdown.Shorten(text, maxText)
}

// stamp writes a time; "" for an unknown time.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// compared returns the compared pairs of environments, in their order.
func compared(f deployments.Fleet) (pairs [][2]string) {
	for i, left := range f.Environments {
		for _, right := range f.Environments[i+1:] {
			if left.Missing() == "" && right.Missing() == "" && f.Rules.Pairs(left.Name, right.Name) {
				pairs = append(pairs, [2]string{left.Name, right.Name})
			}
		}
	}
	return pairs
}

// difference is a discrepancy, and the cluster types that have it; empty if the discrepancy
// is not about a cluster type.
type difference struct {
	deployments.Discrepancy
	clusterTypes []string
}

// differences returns the discrepancies of a fleet by environments, workload and kind. It
// combines the same difference of a value on several cluster types.
func differences(f deployments.Fleet) []difference {
	byCause := func(a, b deployments.Discrepancy) int {
		return cmp.Or(
			f.Rules.Compare(a.Left, b.Left), f.Rules.Compare(a.Right, b.Right), strings.Compare(a.Workload, b.Workload),
			cmp.Compare(a.Kind.Rank(), b.Kind.Rank()), strings.Compare(string(a.Kind), string(b.Kind)),
			strings.Compare(a.Key, b.Key), strings.Compare(a.LeftValue, b.LeftValue), strings.Compare(a.RightValue, b.RightValue),
		)
	}
	all := slices.Clone(f.Discrepancies)
	slices.SortFunc(all, func(a, b deployments.Discrepancy) int {
		return cmp.Or(byCause(a, b), strings.Compare(a.ClusterType, b.ClusterType))
	})
	var found []difference
	for _, d := range all {
		if last := len(found) - 1; last < 0 || byCause(found[last].Discrepancy, d) != 0 {
			found = append(found, difference{Discrepancy: d})
		}
		if d.ClusterType != "" {
			last := &found[len(found)-1]
			last.clusterTypes = append(last.clusterTypes, d.ClusterType)
		}
	}
	return found
}
