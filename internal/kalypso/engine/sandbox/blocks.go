// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"reflect"
	"slices"
	"text/template/parse"
)

// block is a part of a source that is executed by itself: a text, a field of the data
// that is written as it is, a choice between other blocks, or anything else, as a tree.
// What templates mostly consist of needs no text/template this way, and what a tree writes
// can be kept.
type block struct {
	text   string
	field  *reading
	choice *choice
	tree   *parse.Tree
	// program is whose templates the tree calls.
	program *Program
	// reads is what the tree reads of the data, which decides what it writes; nil where
	// that is not known, or where it changes the data.
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

// maxVariables bounds those that a source may declare outside of all loops, for its
// blocks to be executed by themselves.
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
		return []*block{in.rest(p, main.Root.Nodes)}
	}
	if v.declared > 0 {
		p.whole = in.rest(p, main.Root.Nodes)
	}
	return in.cut(p, main.Root.Nodes, nil, 0)
}

// cut makes blocks of nodes, which see these variables.
func (in *instrumenter) cut(p *Program, nodes []parse.Node, seen []*parse.ActionNode, depth int) []*block {
	var all []*block
	seen = slices.Clone(seen)
	for _, node := range nodes {
		switch n := node.(type) {
		case *parse.TextNode:
			all = append(all, &block{text: string(n.Text)})
			continue
		case *parse.ActionNode:
			if field, ok := in.language.data.written(n.Pipe); ok {
				all = append(all, &block{field: &field})
				continue
			}
		case *parse.IfNode:
			if len(n.Pipe.Decl) == 0 && depth < maxNesting {
				all = append(all, &block{choice: in.choice(p, n, seen, depth+1)})
				continue
			}
		}
		all = append(all, in.rest(p, in.repeating(seen, node)))
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
	if field, ok := in.language.data.written(n.Pipe); ok {
		field.otherwise = ""
		c.field = &field
		return c
	}
	condition := *n
	condition.List = &parse.ListNode{NodeType: parse.NodeList, Pos: n.Pos, Nodes: []parse.Node{&parse.TextNode{NodeType: parse.NodeText, Pos: n.Pos, Text: []byte(holds)}}}
	condition.ElseList = nil
	c.condition = in.rest(p, in.repeating(seen, &condition))
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

// rest makes a block of nodes that follow each other.
func (in *instrumenter) rest(p *Program, nodes []parse.Node) *block {
	tree := *in.trees[mainTemplate] // with the source, from which errors quote
	tree.Root = &parse.ListNode{NodeType: parse.NodeList, Pos: tree.Root.Pos, Nodes: nodes}
	return &block{tree: &tree, program: p, reads: in.readings(tree.Root)}
}

// reading is what is read of the data: a field, or a value of a field that is a map of
// texts.
type reading struct {
	index []int // of the field
	// key is that of the value; what does not exist reads as otherwise.
	key, otherwise string
	isValue        bool
	// isMap reports whether it is a map as a whole.
	isMap bool
}

// noValue is what text/template writes for what does not exist.
const noValue = "<no value>"

// written returns the reading that a pipeline writes as it is, if it is one: .Namespace,
// .Labels.app or index .Labels "app".
func (d dataType) written(p *parse.PipeNode) (reading, bool) {
	if len(p.Cmds) != 1 || len(p.Decl) > 0 {
		return reading{}, false
	}
	r, ok := d.indexed(p.Cmds[0])
	if len(p.Cmds[0].Args) == 1 {
		if n, isField := p.Cmds[0].Args[0].(*parse.FieldNode); isField {
			r, ok = d.reading(n.Ident)
			ok = ok && (!r.isValue || len(n.Ident) == 2) && (r.isValue || len(n.Ident) == 1)
		}
	}
	return r, ok && !r.isMap
}

// indexed returns the reading of index .Labels "app".
func (d dataType) indexed(c *parse.CommandNode) (reading, bool) {
	if len(c.Args) != 3 {
		return reading{}, false
	}
	function, calls := c.Args[0].(*parse.IdentifierNode)
	field, ofField := c.Args[1].(*parse.FieldNode)
	key, byText := c.Args[2].(*parse.StringNode)
	if !calls || function.Ident != "index" || !ofField || !byText || len(field.Ident) != 1 || !d.textMaps[field.Ident[0]] {
		return reading{}, false
	}
	r, ok := d.reading([]string{field.Ident[0], key.Text})
	r.otherwise = ""
	return r, ok
}

// reading returns what a chain of names reads; not ok where that is not known.
func (d dataType) reading(names []string) (reading, bool) {
	f, exists := d.all[names[0]]
	switch {
	case !exists:
		return reading{}, false
	case d.texts[names[0]]:
		return reading{index: f.Index}, true
	case d.textMaps[names[0]] && len(names) > 1:
		return reading{index: f.Index, key: names[1], otherwise: noValue, isValue: true}, true
	}
	return reading{index: f.Index, isMap: true}, f.Type.Kind() == reflect.Map
}

// of returns what is read of the data, if that is a text.
func (r reading) of(data reflect.Value) string {
	if !r.isValue {
		return data.FieldByIndex(r.index).String()
	}
	if text, exists := r.value(data); exists {
		return text
	}
	return r.otherwise
}

// value returns the value that is read of a map of texts, and whether it exists.
func (r reading) value(data reflect.Value) (text string, exists bool) {
	texts, _ := data.FieldByIndex(r.index).Interface().(map[string]string) // by textMaps
	text, exists = texts[r.key]
	return text, exists
}
