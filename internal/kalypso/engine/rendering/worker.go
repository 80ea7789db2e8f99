// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/sandbox"
)

// worker renders one assignment at a time. Every goroutine needs one of its own.
type worker struct {
	executor *sandbox.Executor

	data   *data
	config *composition.Config
	// boxed is the data as templates take it.
	boxed any
	// copied reports whether the data's configuration is a copy of the shared one.
	copied bool
	// file is the one that is being rendered.
	file []byte
}

// begin starts another assignment.
func (w *worker) begin(ctx context.Context, d *data, c *composition.Config, b sandbox.Budget) {
	w.executor.Begin(ctx, b)
	w.data, w.boxed, w.config, w.copied = d, *d, c, false
}

// render returns the file of a template: its manifests, those that are only white
// space left out, joined by a line of three dashes. Errors (a problem.List):
// the manifests that fail; if a bound was exceeded, that is the last one.
func (w *worker) render(c *compiled, a *placement.Assignment) ([]byte, error) {
	var problems problem.List
	w.file = w.file[:0]
	for i, p := range c.programs {
		text, err := w.renderManifest(p)
		if err != nil {
			problems.Add(w.failure(c, i, a, err))
			if w.executor.Exhausted() {
				break
			}
			continue
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if n := len(w.file); n > 0 {
			if w.file[n-1] != '\n' {
				w.file = append(w.file, '\n')
			}
			w.file = append(w.file, "---\n"...)
		}
		w.file = append(w.file, text...)
	}
	return bytes.Clone(w.file), problems.Err()
}

// execute runs a program on the data of the assignment. Its output is there until the
// next call.
func (w *worker) execute(p *sandbox.Program) ([]byte, error) {
	if p.Mutates() && !w.copied {
		w.data.ConfigData = copyMap(w.data.ConfigData)
		w.boxed, w.copied = *w.data, true
	}
	return w.executor.Execute(p, w.boxed)
}

// failure is the problem of a manifest that cannot be rendered. The message of a function
// about its arguments may contain a credential.
func (w *worker) failure(c *compiled, manifest int, a *placement.Assignment, err error) problem.Problem {
	return problem.Problem{
		Summary: "Template failed",
		Subject: c.template.ID(),
		Where:   c.template.At(manifest, lineOf(err)).String(),
		Detail: fmt.Sprintf("Manifest %d cannot be rendered: %s.",
			manifest+1, credential.Redact(credential.Hide(strings.TrimSuffix(err.Error(), "."), w.data.ConfigData))),
		Assignment: a.Key(),
	}
}
