// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/sandbox"
)

type worker struct {
	language  *sandbox.Language
	execution *sandbox.Execution

	data *data
	// boxed is the data in the form for templates.
	boxed any
	// copied reports whether the data has its own copies of what assignments share.
	copied bool
}

// render returns the file of a template: its manifests, without those that are only white
// space, joined by a line of three dashes. Errors (a problem.List): the manifests that fail, up to
// the end of the context.
func (w *worker) render(ctx context.Context, c *compiled) ([]byte, error) {
	var problems problem.List
	var file []byte
	for i, p := range c.programs {
		text, err := w.renderManifest(p)
		if err != nil {
			problems.Add(w.failure(c, i, err))
			if ctx.Err() != nil {
				break
			}
			continue
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if n := len(file); n > 0 {
			if file[n-1] != '\n' {
				file = append(file, '\n')
			}
			file = append(file, "---\n"...)
		}
		file = append(file, text...)
	}
	return file, problems.Err()
}

// execute runs a program on the data of the assignment. Its output is valid until the next
// call.
func (w *worker) execute(p *sandbox.Program) ([]byte, error) {
	if p.Mutates() && !w.copied {
		w.data.ConfigData, w.data.ClusterTypeLabels = copyMap(w.data.ConfigData), maps.Clone(w.data.ClusterTypeLabels)
		w.boxed, w.copied = *w.data, true
	}
	return w.execution.Execute(p, w.boxed)
}

// failure returns the problem that a manifest cannot be rendered, without credentials: a
// function may quote its arguments.
func (w *worker) failure(c *compiled, manifest int, err error) problem.Problem {
	return problem.Problem{
		Summary: "Template failed",
		Subject: c.template.ID(),
		Where:   c.template.At(manifest, lineOf(err)).String(),
		Detail: fmt.Sprintf("Manifest %d cannot be rendered: %s.",
			manifest+1, credential.Redact(credential.Hide(strings.TrimSuffix(err.Error(), "."), w.data.ConfigData))),
	}
}
