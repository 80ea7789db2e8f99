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
	"sync"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/spelling"
)

// deliveryText has the CustomResourceDefinitions of Flux and Argo CD that templates write
// objects of, without prose. Their versions are in the README.md of internal/testkit/crd/testdata.
//
//go:embed delivery.yaml.gz
var deliveryText []byte

// DeliveryDefinitions returns the CustomResourceDefinitions of Flux and Argo CD that are built
// in, as YAML.
func DeliveryDefinitions() string {
	r, err := gzip.NewReader(bytes.NewReader(deliveryText))
	if err != nil {
		panic(fmt.Sprintf("delivery.yaml.gz: %v", err)) // it is compiled in, and a test reads all of it
	}
	text, err := io.ReadAll(r)
	if err != nil {
		panic(fmt.Sprintf("delivery.yaml.gz: %v", err))
	}
	return string(text)
}

// delivery are these definitions by what they define, read when one is first needed.
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

// deliveryKinds are all kinds of groups of Flux, and none of Argo's, whose group others share:
// of other groups nothing has to be read.
var deliveryKinds = map[string][]string{
	"source.toolkit.fluxcd.io":       {"Bucket", "ExternalArtifact", "GitRepository", "HelmChart", "HelmRepository", "OCIRepository"},
	"kustomize.toolkit.fluxcd.io":    {"Kustomization"},
	"notification.toolkit.fluxcd.io": {"Alert", "Provider", "Receiver"},
	"argoproj.io":                    nil,
}

// ofDelivery returns the schema of a kind of Flux or Argo CD; nil where none is known. A
// preliminary version that there is no more is removed; any other may be newer.
func (s *Schemas) ofDelivery(group, version, kind string) *Schema {
	d := delivery()[groupKind{group, kind}]
	if d == nil {
		kinds := deliveryKinds[group]
		if near := spelling.Hint(kind, kinds); near != "" && !slices.Contains(kinds, kind) {
			return refusing(fmt.Sprintf("the kind %s, which %s does not have%s", kind, group, near), "")
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
	if !preliminary.MatchString(version) {
		return nil
	}
	return &Schema{removed: fmt.Sprintf("the version %s/%s, which newer releases do not serve any more (write %s/%s)", group, version, group, d.Versions[0].Name)}
}
