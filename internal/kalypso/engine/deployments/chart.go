// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployments

import "go.yaml.in/yaml/v3"

// chart is what spec.chart is: the name of a chart in a HelmChart, an object with a spec in
// a HelmRelease.
type chart struct {
	Chart     text
	Version   text
	SourceRef reference
}

// UnmarshalYAML reads either of them.
func (c *chart) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		c.Chart = text(n.Value)
		return nil
	}
	var release struct {
		Spec struct {
			Chart     text      `yaml:"chart"`
			Version   text      `yaml:"version"`
			SourceRef reference `yaml:"sourceRef"`
		} `yaml:"spec"`
	}
	err := n.Decode(&release)
	c.Chart, c.Version, c.SourceRef = release.Spec.Chart, release.Spec.Version, release.Spec.SourceRef
	return err
}
