// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/sandbox"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// maxRenderings is how often a manifest is rendered at most.
const maxRenderings = 8

var openingBraces = []byte("{{")

// renderManifest renders a manifest, and its output again as long as the output is a
// template itself. The result is valid until the next call. Errors of later renderings name
// the values that contain the template.
func (w *worker) renderManifest(p *sandbox.Program) ([]byte, error) {
	if p == nil {
		return nil, errors.New("its syntax is wrong")
	}
	source := "" // of later renderings: the previous output
	for rendering := 1; ; rendering++ {
		text, err := w.execute(p)
		if err == nil && !bytes.Contains(text, openingBraces) && bytes.Contains(text, []byte(sandbox.NoValue)) {
			err = missing(p.Missing(w.boxed))
		}
		switch {
		case err != nil && rendering > 1:
			// Not %w: the lines of err are lines of the output, not of the template.
			return nil, fmt.Errorf("in the output of rendering %d, %s%s", rendering-1, err.Error(), w.comingFrom(source))
		case err != nil:
			return nil, err
		case !bytes.Contains(text, openingBraces):
			return bytes.ReplaceAll(text, []byte(rawBraces), openingBraces), nil
		}
		source = string(text)
		if rendering == maxRenderings {
			return nil, fmt.Errorf("after %d renderings the output still contains {{, so rendering would never end%s. %s",
				maxRenderings, w.comingFrom(source), useRaw)
		}
		var errs []sandbox.Error
		if p, errs = w.language.Parse(source); errs != nil {
			return nil, fmt.Errorf("the output of rendering %d contains {{, so it is rendered again, but it is not a template: %s%s. %s", rendering,
				errs[0].Error(), w.comingFrom(source), useRaw)
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

// maxValues is how many values a message names.
const maxValues = 3

// comingFrom names, for the end of a message, the values of the configuration whose templates a rendered
// source contains.
func (w *worker) comingFrom(source string) string {
	var names []string
	for _, leaf := range w.config.Leaves() {
		if holdsTemplateOf(source, leaf) {
			names = append(names, leaf.Path+" of ConfigMap/"+leaf.SetBy)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (the template comes from the value " + wording.First(names, maxValues) + ")"
}

// holdsTemplateOf reports whether the text contains a template line of the value.
func holdsTemplateOf(text string, leaf composition.Leaf) bool {
	value, isText := leaf.Value.(string)
	if !isText || !strings.Contains(value, "{{") {
		return false
	}
	for line := range strings.Lines(value) {
		if strings.Contains(line, "{{") && strings.Contains(text, strings.TrimSpace(line)) {
			return true
		}
	}
	return false
}
