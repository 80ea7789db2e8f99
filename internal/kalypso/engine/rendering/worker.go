// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"text/template"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// maxRenderings is how often a manifest is rendered in all.
const maxRenderings = 8

// worker renders one assignment at a time. Its functions know its meter, which
// is why every goroutine needs a worker of its own.
type worker struct {
	meter     meter
	functions template.FuncMap
	templates map[*program]*template.Template
	output    bytes.Buffer

	data *data
	// copied tells whether the data's configuration is a copy of the shared one.
	copied bool
	// exhausted tells whether the assignment has exceeded one of its bounds.
	exhausted bool
}

func newWorker() *worker {
	w := &worker{templates: map[*program]*template.Template{}}
	w.functions = newFunctions(&w.meter)
	maps.Copy(w.functions, w.meter.hooks())
	return w
}

// begin starts another assignment.
func (w *worker) begin(d *data, shared *sharedConfig, steps int) {
	w.meter = meter{steps: steps, output: maxOutput, shared: shared}
	w.data, w.copied, w.exhausted = d, false, false
}

// render gives the file of a template: its manifests, those that are only white
// space left out, joined by a line of three dashes. Errors (a problem.List):
// the manifests that fail; where a bound was exceeded, that is the last one.
func (w *worker) render(c *compiled, a *placement.Assignment) ([]byte, error) {
	var problems problem.List
	var file []byte
	for i, p := range c.programs {
		text, err := w.renderManifest(p)
		if err != nil {
			problems.Add(failure(c, i, a, err))
			if w.exhausted {
				break
			}
			continue
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		if len(file) > 0 {
			if file[len(file)-1] != '\n' {
				file = append(file, '\n')
			}
			file = append(file, "---\n"...)
		}
		file = append(file, text...)
	}
	return file, problems.Err()
}

// renderManifest renders a manifest, and its output again while that is a
// template itself.
func (w *worker) renderManifest(p *program) (string, error) {
	if p == nil {
		return "", errors.New("its syntax is wrong")
	}
	for rendering := 1; ; rendering++ {
		text, err := w.execute(p)
		switch {
		case err != nil:
			w.exhausted = w.exhausted || errors.As(err, new(*exceededError))
			return "", executionError(rendering, err)
		case !strings.Contains(text, "{{"):
			if strings.Contains(text, "<no value>") {
				return "", errNoValue
			}
			return text, nil
		case rendering == maxRenderings:
			return "", fmt.Errorf("after %d renderings the output still contains {{, so it would never end", maxRenderings)
		}
		var errs []sourceError
		if p, errs = parseProgram(text); errs != nil {
			return "", fmt.Errorf("the output of rendering %d contains {{ and so is rendered again, but it is not a template: %s", rendering, errs[0])
		}
	}
}

var errNoValue = errors.New(`the output contains "<no value>": the template writes something that does not exist, or null. Use default, or set the value`)

// execute runs a program on the data of the assignment.
func (w *worker) execute(p *program) (text string, err error) {
	// A panic of text/template itself is the fault of the template that it runs.
	defer func() {
		if r := recover(); r != nil {
			text, err = "", fmt.Errorf("the template cannot be executed: %v", r)
		}
	}()
	if p.mutates && !w.copied {
		w.data.ConfigData = copyMap(w.data.ConfigData)
		w.copied = true
	}
	w.output.Reset()
	w.meter.calls = 0
	if err := w.template(p).Execute((*limitedOutput)(w), *w.data); err != nil {
		return "", err
	}
	return w.output.String(), nil
}

// maxTemplates bounds the templates that a worker keeps: those of manifests
// come back, those of output that is rendered again hardly ever do.
const maxTemplates = 1000

// template gives the program as a template that calls this worker's functions.
func (w *worker) template(p *program) *template.Template {
	if t, known := w.templates[p]; known {
		return t
	}
	functions := make(template.FuncMap, len(p.functions))
	for _, name := range p.functions {
		functions[name] = w.functions[name]
	}
	t := template.New(mainTemplate).Funcs(functions)
	for name, tree := range p.trees {
		template.Must(t.AddParseTree(name, tree)) // fails only for a template that has been executed
	}
	if len(w.templates) >= maxTemplates {
		clear(w.templates)
	}
	w.templates[p] = t
	return t
}

// limitedOutput takes what a template writes.
type limitedOutput worker

func (o *limitedOutput) Write(text []byte) (int, error) {
	if len(text) > o.meter.output {
		return 0, &exceededError{fmt.Sprintf("the output of the assignment exceeds %d MiB", maxOutput>>20)}
	}
	o.meter.output -= len(text)
	return o.output.Write(text)
}

// hooks are the functions that the instrumenter puts into templates.
func (m *meter) hooks() template.FuncMap {
	return template.FuncMap{
		hookStep: func(commands int) string {
			m.charge(turnSteps + commands)
			return ""
		},
		hookEnter: func(commands int) string {
			m.charge(turnSteps + commands)
			if m.calls++; m.calls > maxCalls {
				exceeded("templates call each other more than %d levels deep. Look for endless recursion", maxCalls)
			}
			return ""
		},
		hookLeave: func() string {
			m.calls--
			return ""
		},
		hookRange: func(v reflect.Value) reflect.Value {
			if v.IsValid() && v.Kind() == reflect.Map {
				m.charge(4 * v.Len()) // text/template sorts it
			}
			return v
		},
		hookWrite: func(v reflect.Value) reflect.Value {
			if !isScalar(v) {
				m.deep(v.Interface())
			}
			return v
		},
		hookCompare: func(v reflect.Value) reflect.Value {
			if v.IsValid() && v.Kind() == reflect.String {
				m.text(v.String())
			}
			return v
		},
	}
}

// isScalar tells whether a value is written in a few bytes, or is a text,
// which is written as it is.
func isScalar(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map, reflect.Struct, reflect.Pointer, reflect.Interface:
		return !v.CanInterface()
	default:
		return true
	}
}

// failure tells of a manifest that cannot be rendered.
func failure(c *compiled, manifest int, a *placement.Assignment, err error) problem.Problem {
	return problem.Problem{
		Summary: "Template failed",
		Subject: c.template.ID(),
		Where:   c.template.Source.String(),
		Detail: fmt.Sprintf("Manifest %d cannot be rendered for the assignment %s: %s.",
			manifest+1, a.Key(), strings.TrimSuffix(err.Error(), ".")),
	}
}
