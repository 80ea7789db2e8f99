// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"maps"
	"slices"
	"text/template"
	"text/template/parse"
)

// marker puts marks into the trees of one source, and records its functions and the mistakes in
// it.
type marker struct {
	language  *Language
	marks     map[*byte]mark
	functions template.FuncMap
	mutates   bool
	faults    []fault
}

// fault is a mistake at an offset of the source.
type fault struct {
	pos  parse.Pos
	text string
}

// trees marks the beginning and end of each template, each turn of a loop, and each action.
func (m *marker) trees(trees map[string]*parse.Tree) {
	for _, name := range slices.Sorted(maps.Keys(trees)) {
		root := trees[name].Root
		m.list(root, 0)
		root.Nodes = append([]parse.Node{m.mark(mark{pos: root.Pos, calls: 1})}, root.Nodes...)
		root.Nodes = append(root.Nodes, m.mark(mark{pos: root.Pos, calls: -1}))
	}
}

// mark returns an empty text that the execution recognizes by its place in memory.
func (m *marker) mark(k mark) parse.Node {
	text := make([]byte, 1)
	m.marks[&text[0]] = k
	return &parse.TextNode{NodeType: parse.NodeText, Pos: k.pos, Text: text[:0]}
}

func (m *marker) list(list *parse.ListNode, depth int) {
	if list == nil {
		return
	}
	if depth > maxNesting {
		m.faults = append(m.faults, fault{list.Pos, fmt.Sprintf("blocks are nested more than %d levels deep", maxNesting)})
		return
	}
	var nodes []parse.Node
	for _, node := range list.Nodes {
		switch n := node.(type) {
		case *parse.ActionNode:
			m.pipe(n.Pipe)
			nodes = append(nodes, m.mark(mark{pos: n.Pos, action: n}))
		case *parse.IfNode:
			m.branch(&n.BranchNode, depth)
		case *parse.WithNode:
			m.branch(&n.BranchNode, depth)
		case *parse.RangeNode:
			m.branch(&n.BranchNode, depth)
			n.List.Nodes = append([]parse.Node{m.mark(mark{pos: n.Pos})}, n.List.Nodes...)
		case *parse.TemplateNode:
			m.pipe(n.Pipe)
		}
		nodes = append(nodes, node)
	}
	list.Nodes = nodes
}

func (m *marker) branch(n *parse.BranchNode, depth int) {
	m.pipe(n.Pipe)
	m.list(n.List, depth+1)
	m.list(n.ElseList, depth+1)
}

// pipe records the functions of a pipeline.
func (m *marker) pipe(p *parse.PipeNode) {
	if p == nil {
		return
	}
	for _, command := range p.Cmds {
		for _, arg := range command.Args {
			m.argument(arg)
		}
	}
}

func (m *marker) argument(arg parse.Node) {
	switch n := arg.(type) {
	case *parse.IdentifierNode:
		m.function(n)
	case *parse.PipeNode:
		m.pipe(n)
	case *parse.ChainNode:
		m.argument(n.Node)
	}
}

// function records a function, or the fault that it does not exist.
func (m *marker) function(n *parse.IdentifierNode) {
	function, known := m.language.functions[n.Ident]
	switch {
	case known:
		m.functions[n.Ident] = function
		m.mutates = m.mutates || mutatingFunctions[n.Ident]
	case !builtinFunctions[n.Ident]:
		m.faults = append(m.faults, fault{n.Pos, unknownFunction(n.Ident, slices.Sorted(maps.Keys(m.language.functions)))})
	}
}
