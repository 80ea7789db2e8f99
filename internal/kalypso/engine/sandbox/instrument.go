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
	// calls are the functions that the source calls.
	calls   map[string]bool
	mutates bool
	faults  []fault
	// actions are the expressions of the actions that write, by their offsets.
	actions map[int]string
	// commands counts the commands of the innermost body that can run more than once.
	commands int
}

// fault is a mistake at an offset of the source.
type fault struct {
	pos  parse.Pos
	text string
}

func (in *instrumenter) instrument(name string) {
	root := in.trees[name].Root
	in.commands = 0
	depth := 0
	if name != mainTemplate {
		depth = 1
	}
	in.list(root, depth)
	if name != mainTemplate {
		enter, leave := in.hook(root.Pos, hookEnter, in.commands), in.hook(root.Pos, hookLeave)
		root.Nodes = append(append([]parse.Node{enter}, root.Nodes...), leave)
	}
}

func (in *instrumenter) list(list *parse.ListNode, depth int) {
	if list == nil {
		return
	}
	if depth > maxNesting {
		in.faults = append(in.faults, fault{list.Pos, fmt.Sprintf("blocks are nested more than %d levels deep", maxNesting)})
		return
	}
	for _, node := range list.Nodes {
		in.commands++
		switch n := node.(type) {
		case *parse.ActionNode:
			isSafe, offset, expression := len(n.Pipe.Decl) > 0 || in.isScalar(n.Pipe, depth), int(n.Pipe.Pos), n.Pipe.String()
			in.pipe(n.Pipe)
			if !isSafe {
				in.actions[offset] = expression
				in.append(n.Pipe, hookWrite, number(n.Pos, offset))
			}
		case *parse.IfNode:
			in.branch(&n.BranchNode, depth)
		case *parse.WithNode:
			in.branch(&n.BranchNode, depth)
		case *parse.RangeNode:
			in.loop(n, depth)
		case *parse.TemplateNode:
			if n.Name == mainTemplate {
				in.faults = append(in.faults, fault{n.Pos, "a manifest cannot call itself"})
			}
			in.pipe(n.Pipe)
		case *parse.TextNode, *parse.CommentNode, *parse.BreakNode, *parse.ContinueNode:
		default: // a node that no hook bounds
			in.faults = append(in.faults, fault{n.Position(), fmt.Sprintf("a template cannot use %s here", n)})
		}
	}
}

func (in *instrumenter) branch(n *parse.BranchNode, depth int) {
	in.pipe(n.Pipe)
	in.list(n.List, depth+1)
	in.list(n.ElseList, depth+1)
}

func (in *instrumenter) loop(n *parse.RangeNode, depth int) {
	in.pipe(n.Pipe)
	in.append(n.Pipe, hookRange)
	outer := in.commands
	in.commands = 0
	in.list(n.List, depth+1)
	n.List.Nodes = append([]parse.Node{in.hook(n.Pos, hookStep, in.commands)}, n.List.Nodes...)
	in.commands = outer
	in.list(n.ElseList, depth+1)
}

// pipe checks the functions of a pipeline, and puts hooks around the operands of
// comparisons.
func (in *instrumenter) pipe(p *parse.PipeNode) {
	if p == nil {
		return
	}
	var commands []*parse.CommandNode
	for i, command := range p.Cmds {
		in.commands += len(command.Args)
		operands, compares := 0, false
		if function, isCall := command.Args[0].(*parse.IdentifierNode); isCall {
			operands, compares = comparisons[function.Ident]
		}
		for j, arg := range command.Args {
			in.argument(arg)
			if compares && j >= operands && !isLiteral(arg) {
				command.Args[j] = in.wrap(arg)
			}
		}
		if i > 0 && compares {
			commands = append(commands, in.command(p.Pos, hookCompare))
		}
		commands = append(commands, command)
	}
	p.Cmds = commands
}

func (in *instrumenter) argument(arg parse.Node) {
	switch n := arg.(type) {
	case *parse.IdentifierNode:
		in.function(n)
	case *parse.PipeNode:
		in.pipe(n)
	case *parse.ChainNode:
		in.argument(n.Node)
	}
}

// function records a call of a function, or the fault that the function does not exist.
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

// isScalar reports whether a pipeline certainly returns a scalar, which needs no check
// before it is written. At depth 0, fields belong to the data. If every value were checked,
// templates would take a third longer.
func (in *instrumenter) isScalar(p *parse.PipeNode, depth int) bool {
	last := p.Cmds[len(p.Cmds)-1]
	switch first := last.Args[0].(type) {
	case *parse.IdentifierNode:
		return in.language.scalar[first.Ident]
	case *parse.FieldNode:
		return depth == 0 && len(last.Args) == 1 && len(first.Ident) == 1 && in.language.texts[first.Ident[0]]
	default:
		return isLiteral(first)
	}
}

func isLiteral(arg parse.Node) bool {
	switch arg.(type) {
	case *parse.StringNode, *parse.NumberNode, *parse.BoolNode, *parse.NilNode:
		return true
	}
	return false
}

// append passes the pipeline's value and the arguments to the hook.
func (in *instrumenter) append(p *parse.PipeNode, hook string, args ...parse.Node) {
	command := in.command(p.Pos, hook)
	command.Args = append(command.Args, args...)
	p.Cmds = append(p.Cmds, command)
}

// wrap passes the argument through hookCompare.
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
