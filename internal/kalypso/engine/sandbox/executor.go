// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"text/template"
)

// Executor executes programs, one at a time. Every goroutine needs one of its own.
type Executor struct {
	language  *Language
	meter     meter
	functions template.FuncMap
	prepared  map[*block]*prepared
	output    bytes.Buffer
	key       []byte
	exhausted bool
}

// prepared is a block as a template that calls the executor's functions, and what it
// has written.
type prepared struct {
	*template.Template
	kept
}

// NewExecutor returns an executor without a budget: Begin gives it one.
func (l *Language) NewExecutor() *Executor {
	e := &Executor{language: l, prepared: map[*block]*prepared{}}
	e.functions = l.bind(&e.meter)
	maps.Copy(e.functions, e.meter.hooks())
	return e
}

// Begin starts another budget, which all executions up to the next Begin share. They end
// with the context.
func (e *Executor) Begin(ctx context.Context, b Budget) {
	e.meter, e.exhausted = newMeter(ctx, b), false
}

// Used returns how many steps, and bytes of output, executions have taken since Begin.
func (e *Executor) Used() (steps, output int) {
	return e.meter.budget.Steps - e.meter.steps, e.meter.budget.Output - e.meter.output
}

// Parse parses a source that is executed once, as the output of another program, which
// takes from the budget. Errors: a SyntaxError, the first one; the bound that is exceeded.
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

// Exhausted reports whether an execution since Begin has exceeded one of its
// bounds, so that there is no use in another one.
func (e *Executor) Exhausted() bool { return e.exhausted }

// Execute executes a program on data of the language's type, and returns what it
// writes, until the next call. shared says that nothing changes the maps in the data, the
// program neither (see Mutates): then what a block writes is kept for those that read the
// same. Errors, in prose with the place in the source (mostly an ExecutionError): what
// fails in the template, and a bound that it exceeds.
func (e *Executor) Execute(p *Program, data any, shared bool) (text []byte, err error) {
	// A panic of text/template itself is the fault of the template that it runs.
	defer func() {
		if r := recover(); r != nil {
			text, err = nil, fmt.Errorf("the template cannot be executed: %v", r)
		}
	}()
	e.output.Reset()
	e.meter.calls, e.meter.missing = 0, nil
	before, fields := e.meter, reflect.ValueOf(data)
	err = e.blocks(p, p.blocks, data, fields, shared)
	if e.meter.isRepeating { // the declarations are too costly
		e.output.Reset()
		e.meter, e.meter.repeats = before, 0
		err = e.executeTree(p.whole, data, fields, shared)
	}
	if err != nil {
		e.exhausted = e.exhausted || errors.As(err, new(*exceededError))
		return nil, e.language.executionError(err)
	}
	return e.output.Bytes(), nil
}

// blocks executes blocks one after the other.
func (e *Executor) blocks(p *Program, blocks []*block, data any, fields reflect.Value, keeps bool) error {
	for _, b := range blocks {
		var err error
		switch {
		case b.field != nil:
			text, exists := b.field.of(fields)
			if !exists && text == noValue {
				e.meter.lacks(b.action)
			}
			err = e.write(text)
		case b.choice != nil:
			err = e.choose(p, b.choice, data, fields, keeps)
		case b.tree != nil:
			err = e.executeTree(b, data, fields, keeps)
		default:
			err = e.write(b.text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// choose executes one of the branches.
func (e *Executor) choose(p *Program, c *choice, data any, fields reflect.Value, keeps bool) error {
	if c.field != nil {
		if text, _ := c.field.of(fields); text != "" {
			return e.blocks(p, c.then, data, fields, keeps)
		}
		return e.blocks(p, c.otherwise, data, fields, keeps)
	}
	before, room := e.output.Len(), e.meter.output
	e.meter.output += len(holds) // which is no output
	err := e.executeTree(c.condition, data, fields, keeps)
	e.meter.output = room
	if err != nil {
		return err
	}
	branch := c.otherwise
	if e.output.Len() > before {
		branch = c.then
	}
	e.output.Truncate(before)
	return e.blocks(p, branch, data, fields, keeps)
}

// executeTree executes a tree, or writes again what it has written for the same. Either takes
// the same from the budget, so that it ends alike, whatever came before.
func (e *Executor) executeTree(b *block, data any, fields reflect.Value, keeps bool) error {
	p := e.template(b)
	if b.reads == nil || !keeps || p.isHopeless || b.program.once {
		return p.Execute((*limitedOutput)(e), data)
	}
	e.key = b.appendKey(e.key[:0], fields)
	if known, found := p.find(e.key); found && known.steps <= e.meter.steps && known.made <= e.meter.made {
		e.meter.steps -= known.steps
		e.meter.made -= known.made
		return e.write(known.text)
	}
	start, steps, made := e.output.Len(), e.meter.steps, e.meter.made
	if err := p.Execute((*limitedOutput)(e), data); err != nil {
		return err
	}
	text := e.output.Bytes()[start:]
	if bytes.Contains(text, []byte(noValue)) {
		return nil // what is missing is noted each time
	}
	p.add(e.key, output{string(text), steps - e.meter.steps, made - e.meter.made, b.maps(fields)})
	return nil
}

// maxPrepared bounds the blocks that an executor keeps: some programs come back again
// and again, others are executed once.
const maxPrepared = 1000

// template returns the block as a template that calls this executor's functions.
func (e *Executor) template(b *block) *prepared {
	if p, known := e.prepared[b]; known {
		return p
	}
	functions := make(template.FuncMap, len(b.program.functions))
	for _, name := range b.program.functions {
		functions[name] = e.functions[name]
	}
	t := template.New(mainTemplate).Funcs(functions)
	template.Must(t.AddParseTree(mainTemplate, b.tree)) // fails only for a template that has been executed
	for name, tree := range b.program.trees {
		if name != mainTemplate {
			template.Must(t.AddParseTree(name, tree))
		}
	}
	p := &prepared{Template: t}
	if b.program.once {
		return p
	}
	if len(e.prepared) >= maxPrepared {
		clear(e.prepared)
	}
	e.prepared[b] = p
	return p
}

// write writes a text that no template writes.
func (e *Executor) write(text string) error {
	if err := e.meter.written(len(text)); err != nil {
		return err
	}
	e.output.WriteString(text)
	return nil
}

// limitedOutput takes what a template writes.
type limitedOutput Executor

func (o *limitedOutput) Write(text []byte) (int, error) {
	if err := o.meter.written(len(text)); err != nil {
		return 0, err
	}
	return o.output.Write(text)
}
