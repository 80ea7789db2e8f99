// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/output"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// rendered looks into the rendered files. What a template does wrong it mostly
// does wrong everywhere, so its findings are told once for each template.
func rendered(in Facts) []Finding {
	clusterTypes := in.Fleet.ClusterTypes
	faults := make([][]fault, len(clusterTypes))
	workers := min(runtime.GOMAXPROCS(0), len(clusterTypes))
	schemas := apischema.New(in.Fleet.Definitions)
	var group errgroup.Group
	for worker := range workers {
		group.Go(func() error {
			n := inspection{schemas: schemas, readers: map[string]*output.Reader{}, seen: map[identity]int{}}
			for i := worker; i < len(clusterTypes); i += workers {
				if folder := in.Folders[clusterTypes[i].Name]; folder != nil {
					faults[i] = n.faultsOf(clusterTypes[i], folder)
				}
			}
			return nil
		})
	}
	_ = group.Wait() // workers never fail
	return append(byTemplate(slices.Concat(faults...)), doubtfulDefinitions(schemas)...)
}

// fault is one thing that is wrong with one file.
type fault struct {
	// faults of one sort are told as one.
	sort
	// what completes the sentence "Template x renders …".
	what string
	path string
	// object is the one that is rendered twice, so that all of those are named; else empty.
	object string
	// by names the CustomResourceDefinition that the object is unlike; empty where it is none.
	by string
}

// sort is what faults have in common that are one finding: of most codes a template has
// one, and of some one for each reason.
type sort struct{ code, template, reason string }

// place is a file below a cluster type's folder.
type place struct{ target, file string }

func (p place) in(clusterType string) string { return clusterType + "/" + p.target + "/" + p.file }

// inspection looks at the files of cluster types, one after the other.
type inspection struct {
	schemas *apischema.Schemas
	readers map[string]*output.Reader // by template

	clusterType *manifest.ClusterType
	// places are the files that go into the cluster, and seen says in which of them,
	// counted from 1, an object was at first.
	places []place
	seen   map[identity]int
	faults []fault
}

// faultsOf returns what is wrong in the folder of a cluster type.
func (n *inspection) faultsOf(ct *manifest.ClusterType, folder *tree.Dir) []fault {
	n.clusterType, n.faults = ct, nil
	clear(n.seen)
	n.places = n.places[:0]
	for _, e := range folder.Entries {
		if e.Dir == nil {
			continue
		}
		for _, file := range e.Dir.Entries {
			if strings.HasSuffix(file.Name, ".yaml") {
				n.file(place{e.Name, file.Name}, file.Content)
			}
		}
	}
	return n.faults
}

// readerOf returns the reader of what a template renders.
func (n *inspection) readerOf(template string) *output.Reader {
	r, known := n.readers[template]
	if !known {
		r = &output.Reader{Schemas: n.schemas}
		n.readers[template] = r
	}
	return r
}

func (n *inspection) file(at place, content []byte) {
	objects, err := n.readerOf(templateOf(n.clusterType, at.file)).Objects(content)
	if err != nil {
		what := "text that is not valid YAML"
		if errors.Is(err, output.ErrTooLarge) {
			what = "text that is not checked"
		}
		n.note(fault{sort: sort{code: OutputNotYAML}, what: what + " (" + syntaxError(err) + ")"}, at)
		return
	}
	n.places = append(n.places, at)
	for i := range objects {
		o := &objects[i]
		if missing := missing(o); missing != "" {
			n.note(fault{sort: sort{code: ObjectIncomplete}, what: "an object without " + missing}, at)
			continue
		}
		id, ct := identityOf(o), n.clusterType.Name
		if first := n.seen[id]; first > 0 {
			n.note(fault{
				sort: sort{code: ObjectDuplicate}, object: id.String(),
				what: fmt.Sprintf("%s into cluster type %s, where %s has it already", id, ct, n.places[first-1].in(ct)),
			}, at)
		} else {
			n.seen[id] = len(n.places)
		}
		if o.PlainSecret {
			n.note(fault{sort: sort{code: Credential}, what: fmt.Sprintf("%s with its values in plain text", id)}, at)
		}
		n.refused(o, at)
	}
}

// note notes a fault of a file.
func (n *inspection) note(f fault, at place) {
	f.template, f.path = templateOf(n.clusterType, at.file), at.in(n.clusterType.Name)
	n.faults = append(n.faults, f)
}

// quotation is a piece of the text in what the parser says.
var quotation = regexp.MustCompile(`[\x60'"].*[\x60'"]`)

// syntaxError returns what the parser says, without what it quotes, which may be a
// secret; it counts lines now from 0, now from 1.
func syntaxError(err error) string {
	text := quotation.ReplaceAllString(strings.TrimPrefix(err.Error(), "yaml: "), "…")
	if strings.HasPrefix(text, "line ") {
		return "near " + text
	}
	return text
}

// templateOf names the template that renders the file; empty for the built-in one.
func templateOf(ct *manifest.ClusterType, file string) string {
	switch strings.TrimSuffix(file, path.Ext(file)) {
	case "reconciler":
		return ct.Reconciler
	case "namespace":
		return ct.NamespaceService
	}
	return ct.ConfigType
}

// byTemplate returns one finding for each sort of faults: the first fault, and in how many
// files there are such. What to do is told once for each code of a template.
func byTemplate(faults []fault) []Finding {
	groups := map[sort][]fault{}
	reasons := map[sort]int{}
	for _, f := range faults {
		of := sort{code: f.code, template: f.template}
		if groups[f.sort] == nil {
			if reasons[of]++; reasons[of] > maxReasons {
				continue
			}
		}
		groups[f.sort] = append(groups[f.sort], f)
	}
	var found []Finding
	for s, of := range groups {
		found = append(found, newFinding(s.code, string(manifest.KindTemplate)+"/"+s.template, message(s.template, of)))
	}
	slices.SortFunc(found, inOrder)
	for i := range found {
		f := &found[i]
		if advice := advices[f.Code]; advice != "" && (i == 0 || found[i-1].Code != f.Code || found[i-1].Subject != f.Subject) {
			f.Message += " " + advice
		}
	}
	return found
}

// message tells of faults of one sort.
func message(template string, of []fault) string {
	first := of[0]
	files := map[string]bool{}
	var alike []string
	for _, f := range of {
		files[f.path] = true
		if f.object != first.object && !slices.Contains(alike, f.object) {
			alike = append(alike, f.object)
		}
	}
	text := fmt.Sprintf("Template %s renders %s: %s", template, first.what, first.path)
	if more := len(files) - 1; more > 0 {
		text += ", and the like in " + wording.Count(more, "more file")
	}
	text += "."
	if len(alike) > 0 {
		text += fmt.Sprintf(" So it does %s.", wording.First(alike, maxAlike))
	}
	if first.by != "" {
		text += fmt.Sprintf(" So says %s.", first.by)
	}
	return text
}

const (
	// maxReasons is how many findings of one code are told of a template.
	maxReasons = 5
	// maxAlike is how many other objects a finding names.
	maxAlike = 5
)

// advices say what to do about some codes.
var advices = map[string]string{
	Credential:    storeAdvice,
	ObjectInvalid: "A cluster refuses such an object, or passes over what it does not know: mend the template, or the value that it writes.",
	APIRemoved:    "A cluster with a newer release refuses such an object.",
	NameTooLong:   "Clusters refuse it, at once or when it runs: have the template write a shorter one.",
}
