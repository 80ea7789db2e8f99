// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/sandbox"
)

const maxRenderings = 8

var openingBraces = []byte("{{")

// renderManifest renders a manifest, and its output again as long as the output is a
// template itself. The result is valid until the next call.
func (w *worker) renderManifest(p *sandbox.Program) ([]byte, error) {
	if p == nil {
		return nil, errors.New("its syntax is wrong")
	}
	for rendering := 1; ; rendering++ {
		text, err := w.execute(p)
		if err == nil && !bytes.Contains(text, openingBraces) && bytes.Contains(text, []byte(sandbox.NoValue)) {
			err = p.Missing(w.boxed)
		}
		switch {
		case err != nil && rendering > 1:
			// Not %w: the lines of err are lines of the output, not of the template.
			return nil, fmt.Errorf("in the output of rendering %d, %s", rendering-1, err.Error())
		case err != nil:
			return nil, err
		case !bytes.Contains(text, openingBraces):
			return bytes.ReplaceAll(text, []byte(rawBraces), openingBraces), nil
		case rendering == maxRenderings:
			return nil, fmt.Errorf("after %d renderings the output still contains {{, so rendering would never end. %s", maxRenderings, useRaw)
		}
		if p, err = w.language.Parse(string(text)); err != nil {
			return nil, fmt.Errorf("the output of rendering %d contains {{, so it is rendered again, but it is not a template: %s. %s", rendering,
				err.Error(), useRaw) // Not %w, as above.
		}
	}
}

// useRaw says what to do if braces are not for templates.
const useRaw = `If the braces belong to another tool, write the text with {{ raw "…" }}`

// lineOf returns the line of the source that an error is about; 0 if the line is unknown.
func lineOf(err error) int {
	var e sandbox.Error
	_ = errors.As(err, &e) // 0 for any other error
	return e.Line
}
