// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import "text/template/parse"

// variables are those of a tree, of which it is noted what decides whether it can be cut
// into blocks.
type variables struct {
	// used are the names of all that are read.
	used map[string]bool
	// declared is how many are declared.
	declared int
	// change reports whether what one holds may be changed later.
	change bool
}

// note notes the variables in a node.
func (v *variables) note(node parse.Node) {
	switch n := node.(type) {
	case *parse.ListNode:
		if n == nil {
			return
		}
		for _, inner := range n.Nodes {
			v.note(inner)
		}
	case *parse.ActionNode:
		v.pipe(n.Pipe)
	case *parse.TemplateNode:
		v.note(n.Pipe)
	case *parse.IfNode:
		v.branch(&n.BranchNode)
	case *parse.WithNode:
		v.branch(&n.BranchNode)
	case *parse.RangeNode:
		v.branch(&n.BranchNode)
	case *parse.PipeNode: // in parentheses, or what a template is called with
		if n != nil {
			v.change = v.change || len(n.Decl) > 0 // for what follows, too
			v.pipe(n)
		}
	case *parse.ChainNode:
		v.note(n.Node)
	case *parse.IdentifierNode:
		v.change = v.change || mutatingFunctions[n.Ident] || n.Ident == sortingFunction
	case *parse.VariableNode:
		if v.used == nil {
			v.used = map[string]bool{}
		}
		v.used[n.Ident[0]] = true
	case *parse.TextNode, *parse.CommentNode, *parse.BreakNode, *parse.ContinueNode:
	case *parse.DotNode, *parse.FieldNode, *parse.StringNode, *parse.NumberNode, *parse.BoolNode, *parse.NilNode:
	default:
		v.change = true
	}
}

func (v *variables) branch(n *parse.BranchNode) {
	v.pipe(n.Pipe)
	v.note(n.List)
	v.note(n.ElseList)
}

func (v *variables) pipe(p *parse.PipeNode) {
	v.declared += len(p.Decl)
	v.change = v.change || p.IsAssign
	for _, command := range p.Cmds {
		for _, arg := range command.Args {
			v.note(arg)
		}
	}
}

// declarations returns those of the declarations whose variables a node needs, in their
// order: they write nothing, and give the same wherever they stand.
func declarations(seen []*parse.ActionNode, node parse.Node) []parse.Node {
	v := variables{}
	v.note(node)
	var needed []parse.Node
	for i := len(seen) - 1; i >= 0; i-- { // a declaration needs earlier ones alone
		for _, variable := range seen[i].Pipe.Decl {
			if v.used[variable.Ident[0]] {
				needed = append([]parse.Node{seen[i]}, needed...)
				v.note(seen[i])
				break
			}
		}
	}
	return needed
}
