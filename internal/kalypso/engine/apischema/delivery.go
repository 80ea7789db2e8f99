// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// deliveryText contains the CustomResourceDefinitions of the Flux and Argo CD objects that
// templates write, without prose. The README.md of internal/testkit/crd/testdata has their
// versions.
//
//go:embed delivery.yaml.gz
var deliveryText []byte

// DeliveryDefinitions returns the built-in CustomResourceDefinitions of Flux and Argo CD, as
// YAML.
func DeliveryDefinitions() string {
	r, err := gzip.NewReader(bytes.NewReader(deliveryText))
	if err != nil {
		panic(fmt.Sprintf("delivery.yaml.gz: %v", err)) // the binary contains it, and a test reads it
	}
	text, err := io.ReadAll(r)
	if err != nil {
		panic(fmt.Sprintf("delivery.yaml.gz: %v", err))
	}
	return string(text)
}

// delivery are these definitions by their kinds, which the first call reads.
var delivery = sync.OnceValue(func() map[groupKind]*manifest.CustomResourceDefinition {
	objects, err := manifest.Decode([]manifest.Text{{Name: "delivery.yaml", Text: DeliveryDefinitions()}})
	if err != nil {
		panic(fmt.Sprintf("delivery.yaml.gz: %v", err))
	}
	all := map[groupKind]*manifest.CustomResourceDefinition{}
	for _, o := range objects {
		if d, ok := o.(*manifest.CustomResourceDefinition); ok {
			all[groupKind{d.Group, d.Of}] = d
		}
	}
	return all
})

// deliveryGroup is an API group of Flux or Argo CD.
type deliveryGroup struct {
	// kinds are all kinds of the group; nil for the group of Argo CD, which other projects
	// share.
	kinds []string
	// stable is the version of kinds that have no definition here.
	stable string
}

// deliveryGroups are the groups of Flux and Argo CD. Flux 2.8 does not serve preliminary
// versions of kinds that have a stable version.
var deliveryGroups = map[string]deliveryGroup{
	"source.toolkit.fluxcd.io": {[]string{"Bucket", "ExternalArtifact", "GitRepository", "HelmChart", "HelmRepository", "OCIRepository"},
		"v1"},
	"kustomize.toolkit.fluxcd.io":    {[]string{"Kustomization"}, "v1"},
	"helm.toolkit.fluxcd.io":         {[]string{"HelmRelease"}, "v2"},
	"notification.toolkit.fluxcd.io": {kinds: []string{"Alert", "Provider", "Receiver"}},
	"argoproj.io":                    {},
}

// ofDelivery returns the schema of a kind of Flux or Argo CD; nil if the schema is unknown.
// A preliminary version that newer releases do not serve counts as removed. Any other
// version may be newer.
func (s *Schemas) ofDelivery(group, version, kind string) *Schema {
	of := deliveryGroups[group]
	d := delivery()[groupKind{group, kind}]
	if d == nil && !slices.Contains(of.kinds, kind) {
		if near := nearestKind(kind, of.kinds); near != "" {
			return refusing(fmt.Sprintf("the kind %s, which %s does not have%s", kind, group, near), "")
		}
		return nil
	}
	isPreliminary := preliminary.MatchString(version)
	if d == nil {
		if isPreliminary && of.stable != "" {
			return removed(group, version, of.stable)
		}
		return nil
	}
	for _, v := range d.Versions {
		if v.Name == version {
			schema := s.ofVersion(d, v)
			if schema != nil {
				schema.by = ""
			}
			return schema
		}
	}
	if !isPreliminary {
		return nil
	}
	return removed(group, version, d.Versions[0].Name)
}

// nearestKind returns the probable kind as a hint: a kind with a similar name, or a kind
// that begins with the name (GitRepo for GitRepository).
func nearestKind(kind string, kinds []string) string {
	for _, k := range kinds {
		if len(kind) > 2 && strings.HasPrefix(k, kind) {
			return fmt.Sprintf(" (the nearest is %s)", k)
		}
	}
	return wording.Hint(kind, kinds)
}

// removed returns the schema of a version that newer releases do not serve.
func removed(group, version, served string) *Schema {
	return &Schema{removed: fmt.Sprintf("the version %s/%s, which newer releases no longer serve (write %s/%s)", group, version, group,
		served)}
}
