// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"errors"
	"io"
	"strconv"
	"text/template"
	"text/template/parse"
)

// NoValue is the text that a template writes for a value that does not exist.
const NoValue = "<no value>"

// errNoValue is the error of an output that contains NoValue.
var errNoValue = errors.New(`the value does not exist, or is null, so the output contains "` + NoValue + `". Set it, or use default in ` +
	"the template")

// missingValue is the error of an expression that has no value.
type missingValue struct{ expression string }

func (missingValue) Error() string { return errNoValue.Error() }

// mustExist is the function that each action of a strict program ends with.
const mustExist = "mustExist"

// Missing returns the error of a program that has written NoValue. It executes the program again,
// up to the first action that writes a value that does not exist.
func (p *Program) Missing(data any) error {
	strict := template.New(mainTemplate).Funcs(p.functions).Funcs(template.FuncMap{mustExist: func(expression string, value any) (any, error) {
		if value == nil {
			return nil, missingValue{expression}
		}
		return value, nil
	}})
	for _, t := range p.template.Templates() {
		tree := t.Copy()
		makeStrict(tree.Root)
		template.Must(strict.AddParseTree(t.Name(), tree)) // fails only for a template that has been executed
	}
	if err := strict.Execute(io.Discard, data); err != nil {
		return p.executionError(err)
	}
	return errNoValue // a function has written it
}

// makeStrict ends each action in a list that writes a value with mustExist.
func makeStrict(list *parse.ListNode) {
	if list == nil {
		return
	}
	branch := func(n *parse.BranchNode) {
		makeStrict(n.List)
		makeStrict(n.ElseList)
	}
	for _, node := range list.Nodes {
		switch n := node.(type) {
		case *parse.ActionNode:
			if len(n.Pipe.Decl) > 0 {
				continue
			}
			expression := n.Pipe.String()
			n.Pipe.Cmds = append(n.Pipe.Cmds, &parse.CommandNode{NodeType: parse.NodeCommand, Pos: n.Pipe.Pos, Args: []parse.Node{
				parse.NewIdentifier(mustExist).SetPos(n.Pipe.Pos),
				&parse.StringNode{NodeType: parse.NodeString, Quoted: strconv.Quote(expression), Text: expression},
			}})
		case *parse.IfNode:
			branch(&n.BranchNode)
		case *parse.WithNode:
			branch(&n.BranchNode)
		case *parse.RangeNode:
			branch(&n.BranchNode)
		}
	}
}
