// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// Format is a rule of Kubernetes for texts.
type Format struct {
	// Pattern and MaxLength say the rule to editors.
	Pattern   string
	MaxLength int

	// What is the phrase of messages: "a label's key".
	What string
	// Faults says in words why a text does not obey the rule.
	Faults func(text string) []string

	summary string
}

const subdomain = `[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*`

// formats are the rules by the names that the tags of structs use.
var formats = map[string]*Format{
	"name": {`^` + subdomain + `$`, 253, "a name", validation.IsDNS1123Subdomain, "Invalid name"},
	"label key": {`^(` + subdomain + `/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`, 317, "a label's key", validation.IsQualifiedName,
		"Invalid label"},
	"label value": {`^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$`, 63, "a label's value", validation.IsValidLabelValue, "Invalid label"},
	"config key":  {`^[-._a-zA-Z0-9]+$`, 253, "a key of a ConfigMap", validation.IsConfigMapKey, "Invalid name"},
	"schema":      {What: "a JSON Schema", Faults: schemaFaults, summary: "Invalid schema"},
}

// problem returns why the text at a node does not obey the rule; nil if it does.
func (f *Format) problem(d *document, n *yaml.Node, path, text string) *problem.Problem {
	faults := f.Faults(text)
	if len(faults) == 0 {
		return nil
	}
	p := d.problem(n, f.summary, "%s is %s, which cannot be %s: %s. Change it.", path, quote(text), f.What, strings.Join(faults, "; "))
	return &p
}

// checkKey reports a key of a mapping that does not obey the rule.
func (f *Format) checkKey(d *document, e entry, path string) {
	if faults := f.Faults(e.key); len(faults) > 0 {
		d.report(e.at, f.summary, "The key %s in %s cannot be %s: %s. Change the key.", quote(e.key), path, f.What, strings.Join(faults, "; "))
	}
}
