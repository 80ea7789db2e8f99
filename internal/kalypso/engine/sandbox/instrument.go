// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"strconv"
	"text/template/parse"
)

// maxNesting bounds the nesting of blocks in one template.
const maxNesting = 200

// instrumenter puts the hooks into the trees of one source, and records the errors in it.
type instrumenter struct {
	language *Language
	trees    map[string]*parse.Tree
	// calls are the functions that are called.
	calls   map[string]bool
	mutates bool
	faults  []fault
	// actions are the expressions of the actions that write, by their offsets.
	actions map[int]string
	// commands counts those of the innermost body that can run more than once.
	commands int
}

// fault is something wrong at an offset of the source.
type fault struct {
	pos  parse.Pos
	text string
}

func newInstrumenter(l *Language, trees map[string]*parse.Tree) *instrumenter {
	return &instrumenter{language: l, trees: trees, calls: map[string]bool{}, actions: map[int]string{}}
}

// scope is the position of a node in a tree.
type scope struct {
	depth int
	// dotIsData reports whether . is the data of the template.
	dotIsData bool
}

func (s scope) deeper(dotIsData bool) scope {
	return scope{depth: s.depth + 1, dotIsData: s.dotIsData && dotIsData}
}

// instrument instruments the template of that name.
func (in *instrumenter) instrument(name string) {
	root := in.trees[name].Root
	in.commands = 0
	in.list(root, scope{dotIsData: name == mainTemplate})
	if name != mainTemplate {
		enter, leave := in.hook(root.Pos, hookEnter, in.commands), in.hook(root.Pos, hookLeave)
		root.Nodes = append(append([]parse.Node{enter}, root.Nodes...), leave)
	}
}

func (in *instrumenter) list(list *parse.ListNode, s scope) {
	if list == nil {
		return
	}
	if s.depth > maxNesting {
		in.faults = append(in.faults, fault{list.Pos, fmt.Sprintf("blocks are nested more than %d levels deep", maxNesting)})
		return
	}
	for _, node := range list.Nodes {
		in.commands++
		switch n := node.(type) {
		case *parse.ActionNode:
			writesText, offset, expression := len(n.Pipe.Decl) > 0 || in.isText(n.Pipe, s), int(n.Pipe.Pos), n.Pipe.String()
			in.pipe(n.Pipe, s)
			if !writesText {
				in.actions[offset] = expression
				in.append(n.Pipe, hookWrite, number(n.Pos, offset))
			}
		case *parse.IfNode:
			in.branch(&n.BranchNode, s, true)
		case *parse.WithNode:
			in.branch(&n.BranchNode, s, false)
		case *parse.RangeNode:
			in.loop(n, s)
		case *parse.TemplateNode:
			if n.Name == mainTemplate {
				in.faults = append(in.faults, fault{n.Pos, "a manifest cannot call itself"})
			}
			in.pipe(n.Pipe, s)
		case *parse.TextNode, *parse.CommentNode, *parse.BreakNode, *parse.ContinueNode:
		default: // what nothing here bounds
			in.faults = append(in.faults, fault{n.Position(), fmt.Sprintf("%s is nothing that a template can do here", n)})
		}
	}
}

func (in *instrumenter) branch(n *parse.BranchNode, s scope, keepsDot bool) {
	in.pipe(n.Pipe, s)
	in.list(n.List, s.deeper(keepsDot))
	in.list(n.ElseList, s.deeper(true))
}

func (in *instrumenter) loop(n *parse.RangeNode, s scope) {
	in.pipe(n.Pipe, s)
	in.append(n.Pipe, hookRange)
	outer := in.commands
	in.commands = 0
	in.list(n.List, s.deeper(false))
	n.List.Nodes = append([]parse.Node{in.hook(n.Pos, hookStep, in.commands)}, n.List.Nodes...)
	in.commands = outer
	in.list(n.ElseList, s.deeper(true))
}

// pipe checks the functions of a pipeline and hooks into those of text/template.
func (in *instrumenter) pipe(p *parse.PipeNode, s scope) {
	if p == nil {
		return
	}
	var commands []*parse.CommandNode
	for i, command := range p.Cmds {
		in.commands += len(command.Args)
		operands := len(command.Args) // where the operands of a comparison start
		for j, arg := range command.Args {
			switch n := arg.(type) {
			case *parse.IdentifierNode:
				in.function(n)
				if start, compares := comparisons[n.Ident]; compares && j == 0 {
					operands = start
				}
			case *parse.PipeNode:
				in.pipe(n, s)
			case *parse.ChainNode:
				in.chain(n, s)
			}
			if j >= operands && !in.isSmall(arg, s) {
				command.Args[j] = in.wrap(arg)
			}
		}
		if i > 0 && isComparison(command) {
			commands = append(commands, in.command(p.Pos, hookCompare))
		}
		commands = append(commands, command)
	}
	p.Cmds = commands
}

// isComparison reports whether the command calls one of the comparisons.
func isComparison(command *parse.CommandNode) bool {
	n, isIdentifier := command.Args[0].(*parse.IdentifierNode)
	return isIdentifier && comparisons[n.Ident] > 0
}

func (in *instrumenter) chain(n *parse.ChainNode, s scope) {
	switch inner := n.Node.(type) {
	case *parse.PipeNode:
		in.pipe(inner, s)
	case *parse.ChainNode:
		in.chain(inner, s)
	case *parse.IdentifierNode:
		in.function(inner)
	}
}

// function notes a function, or that it does not exist.
func (in *instrumenter) function(n *parse.IdentifierNode) {
	switch {
	case builtinFunctions[n.Ident]:
		return
	case !in.language.functions[n.Ident]:
		in.faults = append(in.faults, fault{n.Pos, in.language.unknownFunction(n.Ident)})
	}
	in.calls[n.Ident] = true
	in.mutates = in.mutates || mutatingFunctions[n.Ident]
}

// isText reports whether a pipeline surely returns a scalar, which needs no check
// before it is written: with a check of each, templates take two fifths longer.
func (in *instrumenter) isText(p *parse.PipeNode, s scope) bool {
	last := p.Cmds[len(p.Cmds)-1]
	switch first := last.Args[0].(type) {
	case *parse.IdentifierNode:
		return in.language.scalar[first.Ident] || s.dotIsData && len(p.Cmds) == 1 && in.language.data.isIndexed(last)
	case *parse.StringNode, *parse.NumberNode, *parse.BoolNode:
		return true
	default:
		name, below := dataField(first, s)
		return len(last.Args) == 1 && in.language.data.texts[name] && below == 0
	}
}

// isSmall reports whether an argument surely is a short scalar.
func (in *instrumenter) isSmall(arg parse.Node, s scope) bool {
	switch arg.(type) {
	case *parse.StringNode, *parse.NumberNode, *parse.BoolNode, *parse.NilNode:
		return true
	}
	name, below := dataField(arg, s)
	return in.language.data.texts[name] && below == 0 || in.language.data.textMaps[name] && below == 1
}

// dataField returns the field of the data that the node reads and the number of
// names that follow it, or "".
func dataField(node parse.Node, s scope) (name string, below int) {
	if n, isField := node.(*parse.FieldNode); isField && s.dotIsData {
		return n.Ident[0], len(n.Ident) - 1
	}
	return "", 0
}

// append lets the hook take the arguments and the pipeline's value.
func (in *instrumenter) append(p *parse.PipeNode, hook string, args ...parse.Node) {
	command := in.command(p.Pos, hook)
	command.Args = append(command.Args, args...)
	p.Cmds = append(p.Cmds, command)
}

// wrap lets hookCompare take the argument.
func (in *instrumenter) wrap(arg parse.Node) parse.Node {
	command := in.command(arg.Position(), hookCompare)
	command.Args = append(command.Args, arg)
	return &parse.PipeNode{NodeType: parse.NodePipe, Pos: arg.Position(), Cmds: []*parse.CommandNode{command}}
}

// hook makes an action that calls the hook.
func (in *instrumenter) hook(pos parse.Pos, name string, numbers ...int) parse.Node {
	command := in.command(pos, name)
	for _, n := range numbers {
		command.Args = append(command.Args, number(pos, n))
	}
	return &parse.ActionNode{NodeType: parse.NodeAction, Pos: pos, Pipe: &parse.PipeNode{
		NodeType: parse.NodePipe, Pos: pos, Cmds: []*parse.CommandNode{command},
	}}
}

func number(pos parse.Pos, n int) parse.Node {
	return &parse.NumberNode{NodeType: parse.NodeNumber, Pos: pos, IsInt: true, Int64: int64(n), Text: strconv.Itoa(n)}
}

func (in *instrumenter) command(pos parse.Pos, function string) *parse.CommandNode {
	in.calls[function] = true
	return &parse.CommandNode{NodeType: parse.NodeCommand, Pos: pos, Args: []parse.Node{
		parse.NewIdentifier(function).SetPos(pos),
	}}
}
