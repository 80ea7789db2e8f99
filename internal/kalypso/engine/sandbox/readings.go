// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"reflect"
	"text/template/parse"
)

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

// bare returns the reading of which a pipeline consists, if it does: .Namespace,
// .Labels.app or index .Labels "app".
func (d dataType) bare(p *parse.PipeNode) (reading, bool) {
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

// of returns what is read of the data, if that is a text, and whether it exists.
func (r reading) of(data reflect.Value) (text string, exists bool) {
	if !r.isValue {
		return data.FieldByIndex(r.index).String(), true
	}
	texts, _ := data.FieldByIndex(r.index).Interface().(map[string]string) // by textMaps
	if text, exists = texts[r.key]; !exists {
		return r.otherwise, false
	}
	return text, true
}

// readings returns what nodes of the program's own template read of the data, nothing
// twice; nil where that is not known: where they take the data as a whole.
func (in *instrumenter) readings(list *parse.ListNode) []reading {
	r := reader{instrumenter: in, known: true, seen: map[string]bool{}, entered: map[call]bool{}}
	r.list(list, view{dot: true, root: true})
	if !r.known {
		return nil
	}
	if r.readings == nil {
		r.readings = []reading{}
	}
	return r.readings
}

// reader collects readings.
type reader struct {
	*instrumenter
	known    bool
	readings []reading
	seen     map[string]bool
	entered  map[call]bool
}

// view says what . and $ are at a node: the data as a whole, or else something that was
// read before.
type view struct{ dot, root bool }

// call is a template that is called with the data, or with something else.
type call struct {
	name     string
	withData bool
}

func (r *reader) list(list *parse.ListNode, v view) {
	if list == nil {
		return
	}
	for _, node := range list.Nodes {
		switch n := node.(type) {
		case *parse.ActionNode:
			r.pipe(n.Pipe, v)
		case *parse.IfNode:
			r.branch(&n.BranchNode, v, v)
		case *parse.WithNode:
			r.branch(&n.BranchNode, v, view{root: v.root})
		case *parse.RangeNode:
			r.branch(&n.BranchNode, v, view{root: v.root})
		case *parse.TemplateNode:
			r.call(n, v)
		case *parse.TextNode, *parse.CommentNode, *parse.BreakNode, *parse.ContinueNode:
		default:
			r.known = false
		}
	}
}

func (r *reader) branch(n *parse.BranchNode, v, within view) {
	r.pipe(n.Pipe, v)
	r.list(n.List, within)
	r.list(n.ElseList, v)
}

// call enters a template, once for each kind of argument.
func (r *reader) call(n *parse.TemplateNode, v view) {
	c := call{n.Name, isDot(n.Pipe) && v.dot}
	if !c.withData {
		r.pipe(n.Pipe, v)
	}
	if tree := r.trees[n.Name]; tree != nil && !r.entered[c] {
		r.entered[c] = true
		r.list(tree.Root, view{dot: c.withData, root: c.withData})
	}
}

// isDot reports whether a pipeline is . alone.
func isDot(p *parse.PipeNode) bool {
	if p == nil || len(p.Cmds) != 1 || len(p.Cmds[0].Args) != 1 {
		return false
	}
	_, is := p.Cmds[0].Args[0].(*parse.DotNode)
	return is
}

func (r *reader) pipe(p *parse.PipeNode, v view) {
	if p == nil {
		return
	}
	for _, command := range p.Cmds {
		if at, ok := r.language.data.indexed(command); ok && v.dot {
			r.note(at, command.Args[1].String()+" "+command.Args[2].String())
			continue
		}
		for _, arg := range command.Args {
			r.argument(arg, v)
		}
	}
}

func (r *reader) argument(arg parse.Node, v view) {
	switch n := arg.(type) {
	case *parse.DotNode:
		r.known = r.known && !v.dot
	case *parse.FieldNode:
		if v.dot {
			r.names(n.Ident)
		}
	case *parse.VariableNode:
		if n.Ident[0] != "$" || !v.root {
			return // what it holds was read where it was set
		}
		if len(n.Ident) == 1 {
			r.known = false
			return
		}
		r.names(n.Ident[1:])
	case *parse.ChainNode:
		r.argument(n.Node, v)
	case *parse.PipeNode:
		r.pipe(n, v)
	case *parse.IdentifierNode, *parse.StringNode, *parse.NumberNode, *parse.BoolNode, *parse.NilNode:
	default:
		r.known = false
	}
}

// names notes a chain of names below the data.
func (r *reader) names(names []string) {
	at, ok := r.language.data.reading(names)
	if !ok {
		r.known = false
		return
	}
	name := names[0]
	if at.isValue {
		name += "." + names[1]
	}
	r.note(at, name)
}

func (r *reader) note(at reading, name string) {
	if !r.seen[name] {
		r.seen[name] = true
		r.readings = append(r.readings, at)
	}
}
