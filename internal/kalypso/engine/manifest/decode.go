// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
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
	// origin is the file that the first line of the text names, see Excerpt.
	origin string
	// before is the number of lines of the file before the text.
	before int
}

// Decode reads the objects of a document list, strictly. An unknown field, a value of a
// wrong type, and a name that Kubernetes would refuse are errors. Decode takes
// CustomResourceDefinitions as they are. It silently leaves out other Kubernetes objects,
// and ConfigMaps that are not platform configuration.
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
func (in Text) at(line int) Origin { return Origin{Name: in.Name, Origin: in.origin, Line: line} }

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
	if isNull(d.root) || !d.checkShape() {
		return nil
	}
	if d.root.Kind != yaml.MappingNode {
		d.foreign = !d.inList
		d.report(d.root, "Unknown kind", "The document is %s, but an object is needed: a mapping with apiVersion and kind. %s",
			describe(d.root), knownKinds())
		return nil
	}
	if definition := d.definition(); definition != nil {
		return definition
	}
	root := d.fields(d.root, "")
	kind, ours := d.kind(root)
	if !ours {
		return nil
	}
	object := kind.decode(d, d.meta(root, kind.kind), root)
	root.done()
	if c, ok := object.(*ConfigMap); ok && !c.TakesPart() {
		d.problems = nil
	}
	if object.Metadata().Name == "" {
		return nil
	}
	return object
}

// derivedKinds are the kinds that Kalypso's scheduler keeps in its cluster as results.
var derivedKinds = []string{"Assignment", "AssignmentPackage"}

// kind returns the kind of an object that is to be decoded, and whether it is one. An
// object that was probably meant to have such a kind, and does not, is a problem.
func (d *document) kind(root *fields) (kindEntry, bool) {
	apiVersion, kind := root.text("apiVersion"), root.text("kind")
	d.subject = strings.Trim(shorten(kind)+"/"+shorten(root.name()), "/")
	known, isKnown := lookup(Kind(kind))
	d.foreign = !d.inList && !isKnown && isForeign(root, apiVersion, kind)
	switch {
	case kind == "" && apiVersion == "" && root.has("resources"),
		apiVersion == APIVersion && slices.Contains(derivedKinds, kind):
		d.problems = nil // a kustomization.yaml, which may do without both; or what Kalypso computes itself
		return kindEntry{}, false
	case kind == "":
		if !root.has("kind") || isText(root.at("kind")) {
			d.report(d.root, "Missing field", "The document has no kind. %s", knownKinds())
		}
	case isKnown && (apiVersion == known.apiVersion || apiVersion == "" && known.apiVersion == coreVersion):
		return known, true // Kalypso's own README leaves out the version of a ConfigMap
	case isKnown && known.isOCM() && apiVersion != "" && !isOCM(apiVersion):
		d.problems = nil // others have managed clusters and placements too
	case isKnown:
		was := quote(apiVersion)
		if apiVersion == "" {
			was = "missing"
		}
		root.report("apiVersion", "Unknown apiVersion", "The apiVersion of a %s is %s, but must be %s.", kind, was, quote(known.apiVersion))
		// Nothing but the version is wrong: so the rest is worth a look.
		return known, known.apiVersion != coreVersion && (apiVersion == "" || known.isOCM() || isKalypso(apiVersion))
	case isKalypso(apiVersion):
		d.report(root.at("kind"), "Unknown kind", "%s has no kind %s. %s", APIVersion, quote(kind), nearestKind(kind))
	case strings.HasSuffix(kind, "List") && (apiVersion == coreVersion || apiVersion == ""):
		d.report(root.at("kind"), "Unknown kind", "A %s needs items, which are the objects in it. Add them, or remove the document.",
			shorten(kind))
	case apiVersion == "":
		d.report(root.at("kind"), "Unknown kind", "The kind %s has no apiVersion. %s", quote(kind), nearestKind(kind))
	default:
		d.problems = nil // another Kubernetes object, which is not ours to judge
	}
	return kindEntry{}, false
}

// isForeign reports whether a document of no known kind is not meant to be an object, such
// as the values of a Helm chart and the Chart.yaml beside them. Such a document lacks kind
// or apiVersion, and it has no metadata.name. A document with a version of ours, or with
// nearly a kind of ours, is meant to be an object.
func isForeign(root *fields, apiVersion, kind string) bool {
	isOurs := isKalypso(apiVersion) || isOCM(apiVersion) || wording.DidYouMean(kind, kindNames(APIVersion)) != ""
	return (kind == "" || apiVersion == "") && root.name() == "" && !isOurs
}

// name returns metadata.name of an object; empty if the object has no such text.
func (f *fields) name() string {
	if !f.has("metadata") {
		return ""
	}
	return scalarAt(f.at("metadata"), "name")
}

// isOCM reports whether the apiVersion is meant to be Open Cluster Management's, in any
// version.
func isOCM(apiVersion string) bool {
	group, _, _ := strings.Cut(apiVersion, "/")
	const typingErrors = 4
	return wording.Distance(group, ocmGroup) <= typingErrors
}

// isKalypso reports whether the apiVersion is meant to be Kalypso's, though it
// may be of another version or have typing errors.
func isKalypso(apiVersion string) bool {
	const typingErrors = 4
	return strings.Contains(strings.ToLower(apiVersion), "kalypso") ||
		wording.Distance(apiVersion, APIVersion) <= typingErrors
}

// ignoredMetadata are the fields of Kubernetes' ObjectMeta that do not count here.
var ignoredMetadata = []string{
	"namespace", "annotations", "generateName", "uid", "resourceVersion", "generation",
	"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
	"ownerReferences", "finalizers", "managedFields", "selfLink",
}

func (d *document) meta(root *fields, kind Kind) Meta {
	metadata := root.requiredMapping("metadata", "a mapping with a name")
	m := Meta{Kind: kind, Source: d.at(d.root)}
	if kind == KindPlacementDecision || kind == KindAddOnPlacementScore { // several namespaces may have an object of one name
		m.Namespace = metadata.text("namespace")
	} else {
		m.InNamespace = scalarAt(metadata.node, "namespace")
	}
	m.Name = metadata.required("name", "a name that no other "+string(kind)+" has")
	if m.Name != "" {
		d.subject = m.ID()
		d.checkName(metadata.at("name"), "metadata.name", m.Name)
	}
	m.Labels = metadata.labels("labels")
	metadata.ignore(ignoredMetadata...)
	metadata.done()
	return m
}

// annotations reads the annotations of an object, which count for few kinds.
func annotations(root *fields) *fields { return root.mapping("metadata").mapping("annotations") }

// spec reads the spec of an object. The only field beside it is status, which does not
// count.
func spec(m Meta, root *fields) *fields {
	root.ignore("status")
	return root.requiredMapping("spec", "what a "+string(m.Kind)+" consists of")
}
