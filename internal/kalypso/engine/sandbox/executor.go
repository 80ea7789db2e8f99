// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"text/template"
)

// Executor executes programs, one at a time. Every goroutine needs one of its own.
type Executor struct {
	language  *Language
	meter     meter
	functions template.FuncMap
	templates map[*Program]*template.Template
	output    bytes.Buffer
	exhausted bool
}

// NewExecutor returns an executor without a budget: Begin gives it one.
func (l *Language) NewExecutor() *Executor {
	e := &Executor{language: l, templates: map[*Program]*template.Template{}}
	e.functions = l.bind(&e.meter)
	maps.Copy(e.functions, e.meter.hooks())
	return e
}

// Begin starts another budget, which all executions up to the next Begin share.
func (e *Executor) Begin(b Budget) { e.meter, e.exhausted = newMeter(b), false }

// Exhausted reports whether an execution since Begin has exceeded one of its
// bounds, so that there is no use in another one.
func (e *Executor) Exhausted() bool { return e.exhausted }

// Execute executes a program on data of the language's type, and returns what it
// writes. Errors, in prose with the place in the source (mostly an ExecutionError):
// what fails in the template, and a bound that it exceeds.
func (e *Executor) Execute(p *Program, data any) (text string, err error) {
	// A panic of text/template itself is the fault of the template that it runs.
	defer func() {
		if r := recover(); r != nil {
			text, err = "", fmt.Errorf("the template cannot be executed: %v", r)
		}
	}()
	e.output.Reset()
	e.meter.calls = 0
	if err := e.template(p).Execute((*limitedOutput)(e), data); err != nil {
		e.exhausted = e.exhausted || errors.As(err, new(*exceededError))
		return "", e.language.executionError(err)
	}
	return e.output.String(), nil
}

// maxTemplates bounds the templates that an executor keeps: some programs come
// back again and again, others are executed once.
const maxTemplates = 1000

// template returns the program as a template that calls this executor's functions.
func (e *Executor) template(p *Program) *template.Template {
	if t, known := e.templates[p]; known {
		return t
	}
	functions := make(template.FuncMap, len(p.functions))
	for _, name := range p.functions {
		functions[name] = e.functions[name]
	}
	t := template.New(mainTemplate).Funcs(functions)
	for name, tree := range p.trees {
		template.Must(t.AddParseTree(name, tree)) // fails only for a template that has been executed
	}
	if len(e.templates) >= maxTemplates {
		clear(e.templates)
	}
	e.templates[p] = t
	return t
}

// limitedOutput takes what a template writes.
type limitedOutput Executor

func (o *limitedOutput) Write(text []byte) (int, error) {
	m := &o.meter
	if len(text) > m.output {
		return 0, &exceededError{fmt.Sprintf("the output of the %s exceeds %d MiB", m.budget.For, m.budget.Output>>20)}
	}
	m.output -= len(text)
	return o.output.Write(text)
}
