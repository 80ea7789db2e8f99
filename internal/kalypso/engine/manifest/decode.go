// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"cmp"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/sync/errgroup"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Text is one text of the document list: one or more YAML documents.
type Text struct {
	// Name tells the reader of a message which text is meant: "manifests[3]".
	Name string
	Text string
	// file is the file that the first line of the text names, see Excerpt. If that line also names a
	// line of the file, every problem in the text is reported there; otherwise line is 0.
	file string
	line int
	// before is the number of lines that were cut off the beginning.
	before int
}

// Decode reads the objects of a document list, strictly. An unknown field, a value of a
// wrong type, and a name that Kubernetes would refuse are errors. Decode
// silently leaves out other Kubernetes objects, and ConfigMaps that are not platform configuration.
//
// The objects come in the order of the documents. Decode returns all that it could read,
// even if there are errors. The error is a problem.List of all errors, each with the
// input's name and line.
func Decode(inputs []Text) ([]Object, error) {
	objects, _, err := DecodeAll(inputs)
	return objects, err
}

// DecodeAll also returns the ConfigMaps that Decode leaves out.
func DecodeAll(inputs []Text) (taken []Object, unmarked []*ConfigMap, err error) {
	objects, problems := make([][]Object, len(inputs)), make([]problem.List, len(inputs))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, in := range inputs {
		group.Go(func() error {
			objects[i], problems[i] = in.decode()
			return nil
		})
	}
	_ = group.Wait() // what is wrong is in problems
	for _, object := range slices.Concat(objects...) {
		if c, ok := object.(*ConfigMap); ok && !c.TakesPart() {
			unmarked = append(unmarked, c)
		} else {
			taken = append(taken, object)
		}
	}
	return taken, unmarked, slices.Concat(problems...).Err()
}

// at returns the place of a line of the input, or of the file that it is from.
func (in Text) at(line int) Origin {
	if in.line > 0 {
		line = in.line
	}
	return Origin{Name: in.Name, File: in.file, Line: line}
}

func (in Text) decode() ([]Object, problem.List) {
	var objects []Object
	var problems problem.List
	if note, ok, err := in.note(); err != nil {
		problems.AddErr("Invalid YAML", err)
		return nil, problems
	} else if ok {
		return []Object{note}, nil
	}
	for d := range documents(in.fromOrigin(), &problems) {
		if object := d.decode(); object != nil {
			objects = append(objects, object)
		}
		problems = append(problems, d.problems...)
	}
	return objects, problems
}

// decode returns the document's object, or nil if it holds none or it has no name.
func (d *document) decode() Object {
	if isNull(d.root) || !d.isBounded() {
		return nil
	}
	if d.root.Kind != yaml.MappingNode {
		d.foreign = !d.inList
		d.report(d.root, "Unknown kind", "The document is %s, but an object is needed: a mapping with apiVersion and kind.",
			describe(d.root))
		return nil
	}
	m, _ := d.mapping(d.root, "")
	row := d.row(m)
	if row == nil {
		return nil
	}
	object := reflect.New(row.of)
	meta, _ := object.Elem().Field(0).Addr().Interface().(*Meta)
	*meta = Meta{Kind: row.Kind, Namespace: d.scalarAt("metadata", "namespace"), Source: d.at(d.root)}
	m.read(&row.Field, object.Elem())
	if c, ok := object.Interface().(*ConfigMap); ok && !c.TakesPart() {
		d.problems = nil
	}
	if meta.Name == "" {
		return nil
	}
	o, _ := object.Interface().(Object)
	return o
}

// derivedKinds are the kinds that Kalypso's scheduler keeps in its cluster as results.
var derivedKinds = []string{"Assignment", "AssignmentPackage"}

// row returns the row of the kind of an object; nil if the object has no part in a fleet. An
// object that was probably meant to have a part, and has none, is a problem.
func (d *document) row(m *mapping) *Row {
	apiVersion, kind, name := m.text("apiVersion"), m.text("kind"), d.scalarAt("metadata", "name")
	row := Kind(kind).Row()
	namespace := d.scalarAt("metadata", "namespace")
	d.subject = strings.Trim(Meta{Kind: Kind(shorten(kind)), Name: shorten(name), Namespace: shorten(namespace)}.ID(), "/")
	d.foreign = !d.inList && row == nil && name == "" && isForeign(apiVersion, kind)
	switch {
	case kind == "" && apiVersion == "" && m.has("resources"),
		apiVersion == APIVersion && slices.Contains(derivedKinds, kind):
		d.problems = nil // a kustomization.yaml, which may do without both; or what Kalypso computes itself
	case kind == "":
		if !m.has("kind") || isText(m.at("kind")) {
			d.report(d.root, "Missing field", "The document has no kind. %s", nearestKind(""))
		}
	case row != nil && (apiVersion == row.APIVersion || apiVersion == ""):
		return row // a missing apiVersion is a problem of most kinds
	case row != nil && row.Kind.IsOCM() && !isOCM(apiVersion):
		d.problems = nil // others have managed clusters and placements too
	case row != nil:
		m.report("apiVersion", "Unknown apiVersion", "is %s, but that of a %s must be %s.", quote(apiVersion), kind, quote(row.APIVersion))
		if row.Kind.IsOCM() || isKalypso(apiVersion) {
			return row // nothing but the version is wrong, so the rest is worth a look
		}
	case isKalypso(apiVersion), apiVersion == "":
		d.report(m.at("kind"), "Unknown kind", "There is no kind %s. %s", quote(kind), nearestKind(kind))
	case strings.HasSuffix(kind, listKind) && (apiVersion == coreVersion || isOCM(apiVersion)):
		d.report(m.at("kind"), "Unknown kind", "A %s is not an object. Write a List with items that have apiVersion and kind, or write "+
			"documents.", shorten(kind))
	default:
		d.problems = nil // another Kubernetes object, which is not ours to judge
	}
	return nil
}

// nearestKind is the sentence that offers the kind that was probably meant, or else lists all.
func nearestKind(kind string) string {
	return cmp.Or(strings.TrimSpace(wording.DidYouMean(kind, AllKinds())), "Known kinds: "+strings.Join(AllKinds(), ", ")+".")
}

// isForeign reports whether a document of no known kind and without a name is not meant to be an
// object, such as the values of a Helm chart and the Chart.yaml beside them. Such a document lacks
// kind or apiVersion. A document with a version of ours, or with nearly a kind of ours, is meant to
// be an object.
func isForeign(apiVersion, kind string) bool {
	isOurs := isKalypso(apiVersion) || isOCM(apiVersion) || wording.Nearest(kind, AllKinds()) != ""
	return (kind == "" || apiVersion == "") && !isOurs
}

// isOCM and isKalypso report whether the apiVersion is meant to be that of Open Cluster Management, or
// of Kalypso, in any version and in spite of a typing error.
func isOCM(apiVersion string) bool {
	return strings.Contains(strings.ToLower(apiVersion), "open-cluster-m")
}

func isKalypso(apiVersion string) bool {
	return strings.Contains(strings.ToLower(apiVersion), "kalypso")
}
