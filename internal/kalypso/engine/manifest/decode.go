// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// Decode reads the objects of a document list, strictly: an unknown field, a
// value of a wrong type, a name that Kubernetes would refuse are errors. Other
// Kubernetes objects, and ConfigMaps that are no platform configuration, are
// left out without a word. The objects come in the order of the documents and
// are all that could be read, also where something is wrong; the error is a
// problem.List of everything that is, each with the input's name and line.
func Decode(inputs []Input) (*Objects, error) {
	objects := &Objects{}
	var problems problem.List
	for _, in := range inputs {
		for d := range documents(in.fromOrigin(), &problems) {
			if object := d.decode(); object != nil {
				objects.add(object)
			}
			problems = append(problems, d.problems...)
		}
	}
	return objects, problems.Err()
}

// decode gives the document's object, or nil where it holds none or it has no name.
func (d *document) decode() Object {
	if isNull(d.root) || !d.checkShape() {
		return nil
	}
	if d.root.Kind != yaml.MappingNode {
		d.report(d.root, "Unknown kind", "The document is %s, but an object is needed: a mapping with apiVersion and kind. %s",
			describe(d.root), knownKinds())
		return nil
	}
	root := d.fields(d.root, "")
	kind, ours := d.kind(root)
	if !ours {
		return nil
	}
	object := decoders[kind](d, d.meta(root, kind), root)
	root.done()
	if c, ok := object.(*ConfigMap); ok && !c.takesPart() {
		d.problems = nil
		return nil
	}
	if object.Metadata().Name == "" {
		return nil
	}
	return object
}

// decoders read what each kind has beside its metadata.
var decoders = map[Kind]func(*document, Meta, *fields) Object{
	KindEnvironment:          decodeEnvironment,
	KindBaseRepo:             decodeBaseRepo,
	KindWorkloadRegistration: decodeWorkloadRegistration,
	KindWorkload:             decodeWorkload,
	KindClusterType:          decodeClusterType,
	KindTemplate:             decodeTemplate,
	KindSchedulingPolicy:     decodeSchedulingPolicy,
	KindConfigSchema:         decodeConfigSchema,
	KindGitOpsRepo:           decodeGitOpsRepo,
	KindConfigMap:            decodeConfigMap,
}

// add puts the object at the end of its kind's list.
func (o *Objects) add(object Object) {
	switch x := object.(type) {
	case *Environment:
		o.Environments = append(o.Environments, x)
	case *BaseRepo:
		o.BaseRepos = append(o.BaseRepos, x)
	case *WorkloadRegistration:
		o.WorkloadRegistrations = append(o.WorkloadRegistrations, x)
	case *Workload:
		o.Workloads = append(o.Workloads, x)
	case *ClusterType:
		o.ClusterTypes = append(o.ClusterTypes, x)
	case *Template:
		o.Templates = append(o.Templates, x)
	case *SchedulingPolicy:
		o.SchedulingPolicies = append(o.SchedulingPolicies, x)
	case *ConfigSchema:
		o.ConfigSchemas = append(o.ConfigSchemas, x)
	case *GitOpsRepo:
		o.GitOpsRepos = append(o.GitOpsRepos, x)
	case *ConfigMap:
		o.ConfigMaps = append(o.ConfigMaps, x)
	}
}

// coreVersion is the apiVersion of a ConfigMap.
const coreVersion = "v1"

// kalypsoKinds are the kinds of APIVersion, in the order that messages list them.
var kalypsoKinds = []string{
	string(KindClusterType), string(KindTemplate), string(KindSchedulingPolicy), string(KindWorkload), string(KindWorkloadRegistration),
	string(KindEnvironment), string(KindBaseRepo), string(KindGitOpsRepo), string(KindConfigSchema),
}

// derivedKinds are what Kalypso's scheduler keeps in its cluster as results.
var derivedKinds = []string{"DeploymentTarget", "Assignment", "AssignmentPackage"}

func knownKinds() string {
	return "Known are " + APIVersion + " with the kinds " + strings.Join(kalypsoKinds, ", ") +
		", and " + coreVersion + " with the kind " + string(KindConfigMap) + "."
}

// kind gives the kind of an object that is to be decoded, and whether it is
// one. What was meant to be one and is none is a problem.
func (d *document) kind(root *fields) (Kind, bool) {
	apiVersion, kind := root.text("apiVersion"), root.text("kind")
	d.subject = shorten(kind)
	switch {
	case kind == "" && apiVersion == "" && root.has("resources"),
		apiVersion == APIVersion && slices.Contains(derivedKinds, kind):
		d.problems = nil // a kustomization.yaml, which may do without both; or what Kalypso computes itself
		return "", false
	case kind == "":
		if !root.has("kind") || isText(root.at("kind")) {
			d.report(d.root, "Missing field", "The document has no kind. %s", knownKinds())
		}
		return "", false
	case kind == string(KindConfigMap):
		if apiVersion == "" || apiVersion == coreVersion {
			return KindConfigMap, true
		}
		d.unknownVersion(root, apiVersion, coreVersion)
		return "", false
	case slices.Contains(kalypsoKinds, kind):
		if apiVersion != APIVersion {
			d.unknownVersion(root, apiVersion, APIVersion)
		}
		// Nothing but the version is wrong: so the rest is worth a look.
		return Kind(kind), apiVersion == "" || isKalypso(apiVersion)
	case isKalypso(apiVersion):
		d.report(root.at("kind"), "Unknown kind", "%s has no kind %s. %s%s", APIVersion, quote(kind), didYouMean(kind, kalypsoKinds), knownKinds())
		return "", false
	case strings.HasSuffix(kind, "List") && (apiVersion == coreVersion || apiVersion == ""):
		d.report(root.at("kind"), "Unknown kind", "A %s is not read. Write its items as documents of their own, with --- between them.", d.subject)
		return "", false
	case apiVersion == "":
		d.report(root.at("kind"), "Unknown kind", "The kind %s stands without an apiVersion. %s%s", quote(kind), didYouMean(kind, kalypsoKinds), knownKinds())
		return "", false
	}
	d.problems = nil // another Kubernetes object, which is not ours to judge
	return "", false
}

func (d *document) unknownVersion(root *fields, apiVersion, wanted string) {
	was := quote(apiVersion)
	if apiVersion == "" {
		was = "missing"
	}
	d.report(root.at("apiVersion"), "Unknown apiVersion", "The apiVersion of a %s is %s, but must be %s. %s", d.subject, was, quote(wanted), knownKinds())
}

// isKalypso tells whether the apiVersion is meant to be Kalypso's, though it
// may be of another version or have typing errors.
func isKalypso(apiVersion string) bool {
	const typingErrors = 4
	return strings.Contains(strings.ToLower(apiVersion), "kalypso") ||
		levenshtein.Distance(shorten(apiVersion), APIVersion, nil) <= typingErrors
}

// ignoredMetadata are the fields of Kubernetes' ObjectMeta that do not count here.
var ignoredMetadata = []string{
	"namespace", "annotations", "generateName", "uid", "resourceVersion", "generation",
	"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
	"ownerReferences", "finalizers", "managedFields", "selfLink",
}

// meta reads the metadata of an object.
func (d *document) meta(root *fields, kind Kind) Meta {
	metadata := root.requiredMapping("metadata", "a mapping with a name")
	m := Meta{Kind: kind, Source: d.at(d.root)}
	m.Name = metadata.required("name", "a name that no other "+string(kind)+" has")
	if m.Name != "" {
		d.subject = m.ID()
		d.checkName(metadata.at("name"), "metadata.name", m.Name, validation.IsDNS1123Subdomain)
	}
	m.Labels = metadata.labels("labels")
	metadata.ignore(ignoredMetadata...)
	metadata.done()
	return m
}

// spec reads the spec of an object. Beside it stands only status, which does not count.
func spec(m Meta, root *fields) *fields {
	root.ignore("status")
	return root.requiredMapping("spec", "what a "+string(m.Kind)+" consists of")
}
