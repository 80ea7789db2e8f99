// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"text/template/parse"
)

// Execution executes the programs of one package, one at a time. It is the writer of their
// output, and ends them: text/template itself cannot be interrupted, but it writes an empty text,
// a mark, wherever an endless execution passes again and again.
type Execution struct {
	ctx     context.Context //nolint:containedctx // a writer takes no context.
	left    int             // bytes of output
	isFull  bool            // no bytes were left
	output  bytes.Buffer
	program *Program
	// at is the last mark, and calls how deep templates call templates at the moment.
	at    mark
	calls int
	// missing are the actions of the program that wrote a missing value.
	missing map[*parse.ActionNode]bool
}

// mark is an empty text in the trees of a program.
type mark struct {
	pos parse.Pos
	// calls is 1 at the beginning of a template, -1 at its end, and otherwise 0.
	calls int
	// action is the action behind the mark, or nil.
	action *parse.ActionNode
}

// Begin starts with another package. Executions end with the context; its cause is then their
// error.
func (e *Execution) Begin(ctx context.Context) {
	e.ctx, e.left, e.isFull = ctx, maxOutput, false
}

// IsFull reports whether the output of the package has exceeded its bound.
func (e *Execution) IsFull() bool { return e.isFull }

// Execute executes a program on data of the language's type. It returns the output, which
// is valid until the next call. It returns an error, in prose with the place in the source
// (mostly an Error), if the template fails or exceeds a bound.
func (e *Execution) Execute(p *Program, data any) (text []byte, err error) {
	// A panic of text/template itself is the fault of the template that it runs.
	defer func() {
		if r := recover(); r != nil {
			text, err = nil, fmt.Errorf("the template cannot be executed: %v", r)
		}
	}()
	e.output.Reset()
	e.program, e.at, e.calls, e.missing = p, mark{}, 0, nil
	if err := p.template.Execute(e, data); err != nil {
		return nil, p.executionError(err, e.at)
	}
	return e.output.Bytes(), nil
}

// Write takes a text of the output. Errors: a bound is exceeded; the context has ended.
func (e *Execution) Write(text []byte) (int, error) {
	switch {
	case e.ctx.Err() != nil:
		return 0, &exceededError{context.Cause(e.ctx).Error()}
	case len(text) == 0:
		return 0, e.pass(text)
	case len(text) > e.left:
		e.isFull = true
		return 0, &exceededError{fmt.Sprintf("the output of the package exceeds %d MiB", maxOutput>>20)}
	case string(text) == NoValue && e.at.action != nil:
		if e.missing == nil {
			e.missing = map[*parse.ActionNode]bool{}
		}
		e.missing[e.at.action] = true
	}
	e.left -= len(text)
	return e.output.Write(text)
}

// pass takes an empty text, which is a mark or comes from an action.
func (e *Execution) pass(text []byte) error {
	if cap(text) == 0 {
		return nil
	}
	m, isMark := e.program.marks[&text[:1][0]]
	if !isMark {
		return nil
	}
	e.at = m
	if e.calls += m.calls; e.calls > maxCalls {
		return &exceededError{fmt.Sprintf("templates call each other more than %d levels deep. Look for endless recursion", maxCalls)}
	}
	return nil
}

// NoValue is the text that a template writes for a value that does not exist.
const NoValue = "<no value>"

// MissingValue is an action of a source that writes null or a value that does not exist.
type MissingValue struct {
	Line, Column int
	// Expression is the action without its braces: ".Labels.app".
	Expression string
}

// Missing returns the actions that wrote a missing value in the last execution, by their
// places.
func (e *Execution) Missing() []MissingValue {
	var all []MissingValue
	for action := range e.missing {
		line, column := position(e.program.source, int(action.Pipe.Pos))
		all = append(all, MissingValue{line, column, action.Pipe.String()})
	}
	slices.SortFunc(all, func(a, b MissingValue) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return all
}
