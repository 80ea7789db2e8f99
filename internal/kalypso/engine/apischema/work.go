// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema

import (
	"regexp/syntax"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// work is how much there is to do, in steps of a pattern on a character of text, each of
// which takes some 30 ns.
type work int64

// maxWork is what the validations of one object may take: half a second. A name by a usual
// pattern takes 5,000.
const maxWork work = 16_000_000

// stepsPerSchema is how much longer it takes to hold a value against a schema.
const stepsPerSchema = 32

// weight is what validations take: schemas for each value that they are held against, and
// steps for each byte of its texts.
type weight struct{ schemas, steps work }

// weigh returns the weight of validations.
func weigh(validations any) weight {
	w := weight{schemas: 1}
	switch validations := validations.(type) {
	case []any:
		for _, v := range validations {
			w.add(weigh(v))
		}
	case map[string]any:
		for key, v := range validations {
			w.add(weigh(v))
			if pattern, isText := v.(string); isText && key == "pattern" {
				w.steps += stepsOf(pattern)
			}
		}
	}
	return w
}

func (w *weight) add(more weight) {
	w.schemas += more.schemas
	w.steps += more.steps
}

// stepsOf returns the steps that a pattern has; none where it is no pattern.
func stepsOf(pattern string) work {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0
	}
	return work(len(program.Inst))
}

// onText returns what it takes to hold a text against the validations.
func (w weight) onText(value string) work {
	return w.schemas*stepsPerSchema + w.steps*work(len(value))
}

// on returns what it takes to hold a value against the validations, with all that is
// within it; any more than a limit once it is beyond that.
func (w weight) on(n *yaml.Node, limit work) work {
	n = yamlnode.Resolve(n)
	all := w.onText(n.Value)
	for _, child := range n.Content {
		if all > limit {
			break
		}
		all += w.on(child, limit-all)
	}
	return all
}
