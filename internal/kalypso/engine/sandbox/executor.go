// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"
)

// Executor executes programs, one at a time. Each goroutine needs its own executor.
type Executor struct {
	language  *Language
	meter     meter
	functions template.FuncMap
	prepared  map[*Program]*template.Template
	output    bytes.Buffer
	exhausted bool
}

// NewExecutor returns an executor without a budget. Begin sets the budget.
func (l *Language) NewExecutor() *Executor {
	e := &Executor{language: l, prepared: map[*Program]*template.Template{}}
	e.functions = l.bind(&e.meter)
	maps.Copy(e.functions, e.meter.hooks())
	return e
}

// Begin sets a new budget, which all executions up to the next Begin share. Executions end
// with the context.
func (e *Executor) Begin(ctx context.Context, b Budget) {
	e.meter, e.exhausted = newMeter(ctx, b), false
}

// Used returns how many steps, and bytes of output, executions have taken since Begin.
func (e *Executor) Used() (steps, output int) {
	return e.meter.budget.Steps - e.meter.steps, e.meter.budget.Output - e.meter.output
}

// Parse parses a source that is executed once: the output of another program. Parsing takes
// steps from the budget. Errors: the first SyntaxError; the bound that is exceeded.
func (e *Executor) Parse(source string) (*Program, error) {
	if err := e.meter.take(len(source)/bytesPerStep + actionSteps*strings.Count(source, "{{")); err != nil {
		e.exhausted = true
		return nil, err
	}
	p, errs := e.language.parse(source, true)
	if errs != nil {
		return nil, errs[0]
	}
	return p, nil
}

// Exhausted reports whether an execution since Begin has exceeded a bound. Then the caller
// starts no other execution.
func (e *Executor) Exhausted() bool { return e.exhausted }

// Execute executes a program on data of the language's type. It returns the output, which
// is valid until the next call. It returns an error, in prose with the place in the source
// (mostly an ExecutionError), if the template fails or exceeds a bound.
func (e *Executor) Execute(p *Program, data any) (text []byte, err error) {
	// A panic of text/template itself is the fault of the template that it runs.
	defer func() {
		if r := recover(); r != nil {
			text, err = nil, fmt.Errorf("the template cannot be executed: %v", r)
		}
	}()
	e.output.Reset()
	e.meter.calls, e.meter.missing = 0, nil
	if err := e.template(p).Execute((*limitedOutput)(e), data); err != nil {
		e.exhausted = e.exhausted || errors.As(err, new(*exceededError))
		return nil, e.language.executionError(err)
	}
	return e.output.Bytes(), nil
}

// maxPrepared bounds the programs that an executor keeps. Some programs run again and again,
// others once.
const maxPrepared = 1000

// template returns the program as a template that calls this executor's functions.
func (e *Executor) template(p *Program) *template.Template {
	if t, known := e.prepared[p]; known {
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
	if p.once {
		return t
	}
	if len(e.prepared) >= maxPrepared {
		clear(e.prepared)
	}
	e.prepared[p] = t
	return t
}

// limitedOutput takes the output of a template.
type limitedOutput Executor

func (o *limitedOutput) Write(text []byte) (int, error) {
	if err := o.meter.written(len(text)); err != nil {
		return 0, err
	}
	return o.output.Write(text)
}

// MissingValue is an action of a source that writes null or a value that does not exist.
type MissingValue struct {
	Line, Column int
	// Expression is the action without its braces: ".Labels.app".
	Expression string
}

// Missing returns the first actions, up to most, that wrote a missing value in the last
// execution, and how many there are in all. The last execution must be one of the program p.
func (e *Executor) Missing(p *Program, most int) (first []MissingValue, all int) {
	offsets := slices.Sorted(maps.Keys(e.meter.missing))
	for _, offset := range offsets[:min(most, len(offsets))] {
		line, column := position(p.source, offset)
		first = append(first, MissingValue{line, column, p.actions[offset]})
	}
	return first, len(offsets)
}
