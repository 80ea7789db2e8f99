// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/output"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// rendered checks the rendered files. A template usually makes the same mistake in all its
// files, so there is one finding for each template.
func rendered(ctx context.Context, in Facts) []Finding {
	schemas := apischema.New()
	n := inspection{
		files: look(ctx, in, schemas), schemas: schemas,
		seen: map[identity]seen{}, own: map[identity]bool{}, total: map[string]int{}, read: map[string]int{},
	}
	for _, ct := range in.Fleet.ClusterTypes {
		n.inspect(ct, in.Folders[ct.Name])
	}
	return n.byTemplate()
}

// fault is one thing that is wrong with one file.
type fault struct {
	// faults of one sort become one finding.
	sort
	// what completes the sentence "Template x renders …".
	what string
	path string
	// object is the one that it is about, so that others in the file are named; empty if it
	// is about none.
	object string
}

// sort is the common key of the faults that are one finding. For most codes a template has
// one finding, and for some codes one for each reason.
type sort struct{ code, template, reason string }

// place is a file below a cluster type's folder.
type place struct{ target, file string }

func (p place) in(clusterType string) string { return clusterType + "/" + p.target + "/" + p.file }

// inspection compares the files of cluster types, one after the other.
type inspection struct {
	files   files
	schemas *apischema.Schemas

	clusterType *manifest.ClusterType
	// seen has the first file of an object in the cluster type, and own has the objects of
	// one file.
	seen   map[identity]seen
	own    map[identity]bool
	faults []fault
	// total and read count the files of each template, and those of them that were read.
	total, read map[string]int
}

// seen is a file in which an object is.
type seen struct {
	place place
	file  *file
}

// inspect records the faults in the folder of a cluster type.
func (n *inspection) inspect(ct *manifest.ClusterType, folder *tree.Dir) {
	n.clusterType = ct
	clear(n.seen)
	for at, entry := range yamlFiles(folder) {
		f := n.files[entry.ID]
		if !f.isRead && n.isDoubtful(f) {
			f.read(n.schemas)
		}
		template := templateOf(ct, at.file)
		if n.total[template]++; f.isRead {
			n.read[template]++
		}
		n.inspectFile(at, f)
	}
}

// isDoubtful reports whether something may be wrong with the names of the objects in a file.
func (n *inspection) isDoubtful(f *file) bool {
	clear(n.own)
	for i := range f.objects {
		o := &f.objects[i]
		id := identityOf(o)
		if _, known := n.seen[id]; known || n.own[id] || missing(o) != "" || len(longNames(o)) > 0 {
			return true
		}
		n.own[id] = true
	}
	return false
}

func (n *inspection) inspectFile(at place, f *file) {
	if f.err != nil {
		what := "text that is not valid YAML"
		if errors.Is(f.err, output.ErrTooLarge) {
			what = "text that is not checked"
		}
		n.note(fault{sort: sort{code: OutputNotYAML}, what: what + " (" + syntaxError(f.err) + ")"}, at)
		return
	}
	for i := range f.objects {
		o := &f.objects[i]
		if missing := missing(o); missing != "" {
			n.note(fault{sort: sort{code: ObjectIncomplete, reason: missing}, what: "an object without " + missing}, at)
			continue
		}
		n.compare(o, at, f)
		if o.PlainSecret {
			id := identityOf(o).String()
			n.note(fault{sort: sort{code: Credential}, object: id, what: id + " with its values in plain text"}, at)
		}
		n.refused(o, at)
	}
}

// compare notes an object that another file of the cluster type has, too.
func (n *inspection) compare(o *output.Identity, at place, f *file) {
	id, ct := identityOf(o), n.clusterType.Name
	first, known := n.seen[id]
	if known && !first.file.isRead {
		first.file.read(n.schemas)
	}
	if !known || !first.file.has(id) {
		n.seen[id] = seen{at, f}
		return
	}
	n.note(fault{
		sort: sort{code: ObjectDuplicate}, object: id.String(),
		what: fmt.Sprintf("%s into cluster type %s, where %s has it already", id, ct, first.place.in(ct)),
	}, at)
}

func (n *inspection) note(f fault, at place) {
	f.template, f.path = templateOf(n.clusterType, at.file), at.in(n.clusterType.Name)
	n.faults = append(n.faults, f)
}

// quotation is a piece of the text that a message of the parser quotes.
var quotation = regexp.MustCompile(`[\x60'"].*[\x60'"]`)

// syntaxError returns the message of the parser without its quotations, because these may
// contain a secret. The parser counts lines sometimes from 0 and sometimes from 1.
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

// byTemplate returns one finding for each sort of faults: the first fault, and the number
// of files with such a fault. The advice appears once for each code of a template.
func (n *inspection) byTemplate() []Finding {
	groups := map[sort][]fault{}
	sorts := map[Finding][]sort{} // by the code and the template
	for _, f := range n.faults {
		if groups[f.sort] == nil {
			of := newFinding(f.code, string(manifest.KindTemplate)+"/"+f.template, "")
			sorts[of] = append(sorts[of], f.sort)
		}
		groups[f.sort] = append(groups[f.sort], f)
	}
	var found []Finding
	for of, sorts := range sorts {
		var messages []string
		for _, s := range sorts[:min(len(sorts), maxReasons)] {
			messages = append(messages, message(s.template, groups[s]))
		}
		slices.Sort(messages)
		if more := len(sorts) - maxReasons; more > 0 {
			messages[0] += fmt.Sprintf(" Not listed: %s of this code.", wording.Count(more, "more fault"))
		}
		messages[0] += advices[of.Code] + n.sample(sorts[0])
		for _, text := range messages {
			of.Message = text
			found = append(found, of)
		}
	}
	return found
}

// message describes the faults of one sort.
func message(template string, of []fault) string {
	first := of[0]
	files := map[string]bool{}
	var alike []string
	for _, f := range of {
		files[f.path] = true
		isNear := f.path == first.path || f.code == ObjectDuplicate
		if isNear && f.object != first.object && !slices.Contains(alike, f.object) {
			alike = append(alike, f.object)
		}
	}
	text := fmt.Sprintf("Template %s renders %s: %s", template, first.what, first.path)
	if more := len(files) - 1; more > 0 {
		text += ", and the like in " + wording.Count(more, "more file")
	}
	text += "."
	if len(alike) > 0 {
		text += fmt.Sprintf(" So it does %s.", wording.First(alike, maxListed))
	}
	return text
}

// maxReasons is how many findings of one code are shown for a template.
const maxReasons = 5

// sample says how many files of a template were read, if more of them may have the fault.
func (n *inspection) sample(of sort) string {
	total, read := n.total[of.template], n.read[of.template]
	switch of.code {
	case OutputNotYAML, ObjectInvalid, APIRemoved, NameTooLong:
		if read < total {
			return fmt.Sprintf(" The fleet is large, so %d of the template's %d files were read: fail_on = [%q] reads all of them.", read, total,
				of.code)
		}
	}
	return ""
}

// advices say how to fix the findings of some codes, behind their messages.
var advices = map[string]string{
	Credential: " " + storeAdvice,
	ObjectInvalid: " A cluster refuses such an object, or passes over what it does not know: correct the template, or the value that it " +
		"writes.",
	APIRemoved:  " A cluster with a newer release refuses such an object.",
	NameTooLong: " Clusters refuse it, at once or when it runs: have the template write a shorter one.",
}

// missing names the fields that an object lacks to be a Kubernetes object; empty if it has
// all. A kustomization is a file that only looks like an object.
func missing(o *output.Identity) string {
	var fields []string
	if o.APIVersion == "" {
		fields = append(fields, "apiVersion")
	}
	if o.Kind == "" {
		fields = append(fields, "kind")
	}
	if o.Name == "" && !strings.HasPrefix(o.APIVersion, "kustomize.config.k8s.io/") {
		fields = append(fields, "metadata.name")
	}
	return strings.Join(fields, " and ")
}

// identity is the key that no two objects of a cluster share.
type identity struct{ resource, namespace, name string }

func identityOf(o *output.Identity) identity { return identity{o.Resource, o.Namespace, o.Name} }

// String names the object for a message.
func (i identity) String() string {
	if i.namespace != "" {
		return i.resource + " " + i.namespace + "/" + i.name
	}
	return i.resource + " " + i.name
}
