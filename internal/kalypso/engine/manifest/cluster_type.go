// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

// KindClusterType is the kind of a ClusterType.
const KindClusterType Kind = "ClusterType"

// ClusterType is a group of alike clusters; its labels are its capabilities.
// The three references are names of Templates; ConfigType may be empty.
type ClusterType struct {
	Meta             `json:"-"`
	Reconciler       string `json:"reconciler"`
	NamespaceService string `json:"namespaceService"`
	ConfigType       string `json:"configType,omitempty"`
}

func decodeClusterType(_ *document, m Meta, root *fields) Object {
	s := spec(m, root)
	defer s.done()
	return &ClusterType{
		Meta:             m,
		Reconciler:       s.required("reconciler", "the name of a Template of type reconciler"),
		NamespaceService: s.required("namespaceService", "the name of a Template of type namespace"),
		ConfigType:       s.text("configType"),
	}
}

func (c *ClusterType) encode(to *envelope) { to.Spec = written(c) }
