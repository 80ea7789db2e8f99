// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"text/template/parse"
)

// Missing is an action of a source that writes what does not exist, or null.
type Missing struct {
	Line, Column int
	// Expression is the action without its braces: ".Labels.app".
	Expression string
}

// String names the action for a message: "line 3, column 5: {{ .Labels.app }}".
func (m Missing) String() string {
	return fmt.Sprintf("%s: {{ %s }}", place(m.Line, m.Column), m.Expression)
}

// Missing returns the actions of a source that write what does not exist, in their order.
// It executes the source again, within what is left of the budget. Where that fails, it
// returns what it has found by then.
func (e *Executor) Missing(source string, data any) []Missing {
	p, errs := e.language.parse(source, true, true)
	if errs != nil {
		return nil
	}
	found := map[int]string{}
	e.meter.missing = found
	_ = executeTraced(e.template(p.blocks[0]), data)
	e.meter.missing = nil
	var all []Missing
	for _, offset := range slices.Sorted(maps.Keys(found)) {
		line, column := position(source, offset)
		all = append(all, Missing{line, column, found[offset]})
	}
	return all
}

// executeTraced executes a template for its traces alone. Errors: also a panic of
// text/template, as of Execute.
func executeTraced(t *prepared, data any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return t.Execute(io.Discard, data)
}

// trace returns the command that notes an action whose value does not exist. There is none
// where nothing is traced, or where the value is not written.
func (in *instrumenter) trace(p *parse.PipeNode) []*parse.CommandNode {
	if !in.traced || len(p.Decl) > 0 {
		return nil
	}
	text := p.String()
	hook := in.command(p.Pos, hookTrace)
	hook.Args = append(hook.Args, number(p.Pos, int(p.Pos)), &parse.StringNode{NodeType: parse.NodeString, Pos: p.Pos, Quoted: strconv.Quote(text), Text: text})
	return []*parse.CommandNode{hook}
}
