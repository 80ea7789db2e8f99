// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"maps"
	"slices"
	"text/template"
	"text/template/parse"
)

// walker goes through the trees of one source. It records the functions, the mistakes in their
// names, and the actions that write a value. It adds an empty text to each loop and
// each template, so that the writer can end the execution.
type walker struct {
	language  *Language
	functions template.FuncMap
	mutates   bool
	faults    []fault
	// actions are the actions that write a value, by their numbers.
	actions []*parse.ActionNode
}

// fault is a mistake at an offset of the source.
type fault struct {
	pos  parse.Pos
	text string
}

func (w *walker) trees(trees map[string]*parse.Tree) {
	for _, name := range slices.Sorted(maps.Keys(trees)) {
		root := trees[name].Root
		w.list(root)
		root.Nodes = slices.Insert(root.Nodes, 0, turn(root.Pos))
	}
}

// turn returns an empty text. The writer gets it, and may end the execution.
func turn(at parse.Pos) parse.Node { return &parse.TextNode{NodeType: parse.NodeText, Pos: at} }

func (w *walker) list(list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, node := range list.Nodes {
		switch n := node.(type) {
		case *parse.ActionNode:
			w.pipe(n.Pipe)
			if len(n.Pipe.Decl) == 0 {
				w.actions = append(w.actions, n)
			}
		case *parse.IfNode:
			w.branch(&n.BranchNode)
		case *parse.WithNode:
			w.branch(&n.BranchNode)
		case *parse.RangeNode:
			w.branch(&n.BranchNode)
			n.List.Nodes = slices.Insert(n.List.Nodes, 0, turn(n.Pos))
		case *parse.TemplateNode:
			w.pipe(n.Pipe)
		}
	}
}

func (w *walker) branch(n *parse.BranchNode) {
	w.pipe(n.Pipe)
	w.list(n.List)
	w.list(n.ElseList)
}

// pipe records the functions of a pipeline.
func (w *walker) pipe(p *parse.PipeNode) {
	if p == nil {
		return
	}
	for _, command := range p.Cmds {
		for _, arg := range command.Args {
			w.argument(arg)
		}
	}
}

func (w *walker) argument(arg parse.Node) {
	switch n := arg.(type) {
	case *parse.IdentifierNode:
		w.function(n)
	case *parse.PipeNode:
		w.pipe(n)
	case *parse.ChainNode:
		w.argument(n.Node)
	}
}

// function records a function, or the fault that it does not exist.
func (w *walker) function(n *parse.IdentifierNode) {
	function, known := w.language.functions[n.Ident]
	switch {
	case known:
		w.functions[n.Ident] = function
		w.mutates = w.mutates || mutatingFunctions[n.Ident]
	case !builtinFunctions[n.Ident]:
		w.faults = append(w.faults, fault{n.Pos, unknownFunction(n.Ident, slices.Sorted(maps.Keys(w.language.functions)))})
	}
}
