// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import "text/template/parse"

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
