// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/template"
	"text/template/parse"
)

// Execution executes the programs of one package, one at a time. It is the writer of their output,
// and ends them: text/template itself cannot be interrupted, but it writes in each turn of a loop.
type Execution struct {
	ctx    context.Context //nolint:containedctx // a writer takes no context.
	left   int             // bytes of output
	isFull bool            // no bytes were left
	output bytes.Buffer
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
	if err := p.template.Execute(e, data); err != nil {
		return nil, p.executionError(err)
	}
	return e.output.Bytes(), nil
}

// Write takes a text of the output. Errors: the bound of the output is exceeded; the context has
// ended.
func (e *Execution) Write(text []byte) (int, error) {
	if e.ctx.Err() != nil {
		return 0, context.Cause(e.ctx)
	}
	if len(text) > e.left {
		e.isFull = true
		return 0, fmt.Errorf("the output of the package exceeds %d MiB", maxOutput>>20)
	}
	e.left -= len(text)
	return e.output.Write(text)
}

// NoValue is the text that a template writes for a value that does not exist.
const NoValue = "<no value>"

// MissingValue is an action of a source that writes null or a value that does not exist.
type MissingValue struct {
	Line, Column int
	// Expression is the action without its braces: ".Labels.app".
	Expression string
}

// Missing returns the actions that write a missing value, by their places. It executes the
// program again, and looks at each value that an action writes.
func (p *Program) Missing(data any) []MissingValue {
	trees, err := parseTrees(p.source)
	if err != nil {
		return nil // Parse has refused it
	}
	w := &walker{language: p.language, functions: template.FuncMap{}}
	w.trees(trees)
	missing := map[int]bool{}
	const look = "lookForMissing" // the language does not have it
	w.functions[look] = func(action int, value any) any {
		missing[action] = missing[action] || value == nil
		return value
	}
	for i, action := range w.actions {
		name := parse.NewIdentifier(look)
		number := &parse.NumberNode{NodeType: parse.NodeNumber, IsInt: true, Int64: int64(i), Text: strconv.Itoa(i)}
		action.Pipe.Cmds = append(action.Pipe.Cmds, &parse.CommandNode{NodeType: parse.NodeCommand, Args: []parse.Node{name, number}})
	}
	_ = p.language.template(w, trees).Execute(io.Discard, data) // the values until an error count
	var all []MissingValue
	for i, action := range w.actions {
		if missing[i] {
			action.Pipe.Cmds = action.Pipe.Cmds[:len(action.Pipe.Cmds)-1]
			line, column := position(p.source, int(action.Pipe.Pos))
			all = append(all, MissingValue{line, column, action.Pipe.String()})
		}
	}
	slices.SortFunc(all, func(a, b MissingValue) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return all
}
