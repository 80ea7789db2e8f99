// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
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

// Missing returns the actions of a source that write what does not exist, in their order.
// It executes the source again, which has to have been executed: so it takes as much work as
// that, from a budget of its own, and no later program fails for it. Where it fails, it
// returns what it has found by then.
func (e *Executor) Missing(source string, data any) []Missing {
	p, errs := e.language.parse(source, true, true)
	if errs != nil {
		return nil
	}
	found, before, exhausted := map[int]string{}, e.meter, e.exhausted
	e.meter = newMeter(before.ctx, before.budget)
	e.meter.missing = found
	_, _ = e.Execute(p, data, false)
	e.searched += before.budget.Steps - e.meter.steps
	e.meter, e.exhausted = before, exhausted
	var all []Missing
	for _, offset := range slices.Sorted(maps.Keys(found)) {
		line, column := position(source, offset)
		all = append(all, Missing{line, column, found[offset]})
	}
	return all
}

// trace returns the command that notes an action whose value does not exist; nil where
// nothing is traced.
func (in *instrumenter) trace(p *parse.PipeNode) *parse.CommandNode {
	if !in.traced {
		return nil
	}
	text := p.String()
	hook := in.command(p.Pos, hookTrace)
	hook.Args = append(hook.Args, number(p.Pos, int(p.Pos)), &parse.StringNode{NodeType: parse.NodeString, Pos: p.Pos, Quoted: strconv.Quote(text), Text: text})
	return hook
}

// watch lets the trace, if there is one, take what an action writes. Sprig's quote and squote
// write nothing for what does not exist; where one of them comes last, the value is watched
// before it is quoted.
func (in *instrumenter) watch(p *parse.PipeNode, trace *parse.CommandNode) {
	last := len(p.Cmds) - 1
	if function, ok := p.Cmds[last].Args[0].(*parse.IdentifierNode); len(p.Decl) > 0 {
		return // it writes nothing
	} else if ok && (function.Ident == "quote" || function.Ident == "squote") {
		hook := trace
		if hook == nil {
			hook = in.command(p.Pos, hookAbsent)
		}
		for i, arg := range p.Cmds[last].Args[1:] {
			p.Cmds[last].Args[1+i] = watched(arg, hook)
		}
		if last > 0 {
			p.Cmds = slices.Insert(p.Cmds, last, hook)
		}
	}
	if trace != nil {
		p.Cmds = append(p.Cmds, trace)
	}
}

// watched lets the hook take the argument.
func watched(arg parse.Node, hook *parse.CommandNode) parse.Node {
	switch pos := arg.Position(); arg.(type) {
	case *parse.StringNode, *parse.NumberNode, *parse.BoolNode, *parse.NilNode:
		return arg
	default:
		value := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: pos, Args: []parse.Node{arg}}
		return &parse.PipeNode{NodeType: parse.NodePipe, Pos: pos, Cmds: []*parse.CommandNode{value, hook}}
	}
}
