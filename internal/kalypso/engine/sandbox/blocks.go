// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import "text/template/parse"

// block is a part of a source that is executed by itself: a text, a field of the data
// that is written as it is, a choice between other blocks, or anything else, as a tree.
// What templates mostly consist of needs no text/template this way, and what a tree writes
// can be kept. The blocks of which messages tell are others: those of if, range and with.
type block struct {
	text   string
	field  *reading
	action action // of the field
	choice *choice
	tree   *parse.Tree
	// program is whose templates the tree calls.
	program *Program
	// reads is what the tree reads of the data, which decides what it writes; nil where
	// that is not known.
	reads []reading
}

// choice is an if: whether a field is not empty, or else a block that writes something
// where the condition holds, and the blocks of both branches.
type choice struct {
	field           *reading
	condition       *block
	then, otherwise []*block
}

// holds is what a condition writes where it does.
const holds = "true"

// maxVariables bounds those that a source may declare anywhere, for its blocks to be
// executed by themselves: each block looks through all declarations before it, and
// repeats those that it needs.
const maxVariables = 100

// blocks cuts the program's own template into blocks. The trees are not instrumented
// yet, so that they show what they read.
func (in *instrumenter) blocks(p *Program) []*block {
	main := in.trees[mainTemplate]
	if in.called[mainTemplate] {
		return []*block{{tree: main, program: p}}
	}
	v := variables{}
	for _, tree := range in.trees {
		v.note(tree.Root)
	}
	if v.declared > maxVariables || v.declared > 0 && v.change {
		return []*block{in.treeBlock(p, main.Root.Nodes)}
	}
	if v.declared > 0 {
		p.whole = in.treeBlock(p, main.Root.Nodes)
	}
	return in.cut(p, main.Root.Nodes, nil, 0)
}

// cut makes blocks of nodes, which see these variables. In all of them . is the data: it
// enters neither range nor with.
func (in *instrumenter) cut(p *Program, nodes []parse.Node, seen []*parse.ActionNode, depth int) []*block {
	var all []*block
	for _, node := range nodes {
		switch n := node.(type) {
		case *parse.TextNode:
			all = append(all, &block{text: string(n.Text)})
			continue
		case *parse.ActionNode:
			if field, ok := in.language.data.bare(n.Pipe); ok {
				all = append(all, &block{field: &field, action: actionOf(n.Pipe)})
				continue
			}
		case *parse.IfNode:
			if len(n.Pipe.Decl) == 0 && depth < maxNesting {
				all = append(all, &block{choice: in.choice(p, n, seen, depth+1)})
				continue
			}
		}
		all = append(all, in.treeBlock(p, in.repeating(seen, node)))
		if n, isAction := node.(*parse.ActionNode); isAction && len(n.Pipe.Decl) > 0 {
			seen = append(seen, n)
		}
	}
	return all
}

func (in *instrumenter) choice(p *Program, n *parse.IfNode, seen []*parse.ActionNode, depth int) *choice {
	c := &choice{then: in.cut(p, n.List.Nodes, seen, depth)}
	if n.ElseList != nil {
		c.otherwise = in.cut(p, n.ElseList.Nodes, seen, depth)
	}
	if field, ok := in.language.data.bare(n.Pipe); ok {
		field.otherwise = ""
		c.field = &field
		return c
	}
	condition := *n
	condition.List = &parse.ListNode{NodeType: parse.NodeList, Pos: n.Pos, Nodes: []parse.Node{&parse.TextNode{NodeType: parse.NodeText, Pos: n.Pos, Text: []byte(holds)}}}
	condition.ElseList = nil
	c.condition = in.treeBlock(p, in.repeating(seen, &condition))
	return c
}

// repeating returns a node behind the declarations that it needs.
func (in *instrumenter) repeating(seen []*parse.ActionNode, node parse.Node) []parse.Node {
	needed := declarations(seen, node)
	if len(needed) == 0 {
		return []parse.Node{node}
	}
	repeat := in.hook(node.Position(), hookRepeat)
	return append(append([]parse.Node{repeat}, needed...), repeat, node)
}

// treeBlock makes a block of nodes that follow each other. It shares them with the tree of
// the program, which is instrumented afterwards: that has to change nodes in their place,
// or blocks would run without bounds.
func (in *instrumenter) treeBlock(p *Program, nodes []parse.Node) *block {
	tree := *in.trees[mainTemplate] // with the source, from which errors quote
	tree.Root = &parse.ListNode{NodeType: parse.NodeList, Pos: tree.Root.Pos, Nodes: nodes}
	return &block{tree: &tree, program: p, reads: in.readings(tree.Root)}
}
