// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Command handing counts how often an operation on a branch hands its values on. It follows the calls
// from Publisher.Plan, .Apply, .Refresh and .Destroy through the packages of publish, and counts those
// whose receiver or argument is a type of the operation. It prints a table: a reader of an operation
// follows so many calls, through so many functions, in so many files.
//
// Usage: handing [folder of the project]
package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// room is the package of the operations. The packages below it are followed too.
const room = "github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"

// operationTypes are the types of an operation, by the ends of their packages' paths: what the resource is,
// what it wants, what the branch has, and what happens.
var operationTypes = []string{
	"publish.Job", "publish.Settings", "publish.Applied", "publish.Attributes", "publish.Memory",
	"publish.Change", "publish.query", "ownership.Wanted", "ownership.Seen", "ownership.Self", "ownership.Decision", "ownership.deciding",
}

// operations are the methods of Publisher where the counting begins, with what they may have at most.
var operations = []struct {
	name string
	most int
}{{"Plan", 90}, {"Apply", 110}, {"Refresh", 20}, {"Destroy", 70}}

func main() {
	project := "."
	if len(os.Args) > 1 {
		project = os.Args[1]
	}
	code, err := read(project)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%-10s %6s %6s %6s %10s\n", "operation", "calls", "most", "files", "functions")
	isBeyond := false
	for _, o := range operations {
		c := code.from("(*" + room + ".Publisher)." + o.name)
		isBeyond = isBeyond || c.calls == 0 || c.calls > o.most
		fmt.Printf("%-10s %6d %6d %6d %10d\n", o.name, c.calls, o.most, len(c.files), len(c.functions))
	}
	if isBeyond {
		fmt.Fprintln(os.Stderr, "an operation hands its values on more often than it may")
		os.Exit(1)
	}
}

// function is a function of the room, with the file and the package that it is in.
type function struct {
	body ast.Node
	file string
	of   *packages.Package
}

// code are the functions of the room, by their full names.
type code map[string]function

// read loads the packages of the room.
func read(project string) (code, error) {
	found, err := packages.Load(&packages.Config{
		Dir:  project,
		Mode: packages.NeedName | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps,
	}, room+"/...")
	if err != nil {
		return nil, err
	}
	all := code{}
	for _, p := range found {
		for _, problem := range p.Errors {
			return nil, problem
		}
		for _, file := range p.Syntax {
			for _, d := range file.Decls {
				all.add(p, d)
			}
		}
	}
	return all, nil
}

// add adds a function, or the variables of a declaration: a list of functions is in a variable.
func (all code) add(p *packages.Package, d ast.Decl) {
	at := p.Fset.Position(d.Pos()).Filename
	switch d := d.(type) {
	case *ast.FuncDecl:
		all[nameOf(p.TypesInfo.Defs[d.Name])] = function{d, at, p}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR {
				for _, name := range v.Names {
					all[nameOf(p.TypesInfo.Defs[name])] = function{v, at, p}
				}
			}
		}
	}
}

// nameOf returns the full name of a function or a variable of a package; empty for anything else.
func nameOf(o types.Object) string {
	switch o := o.(type) {
	case *types.Func:
		return o.Origin().FullName()
	case *types.Var:
		if o.Pkg() != nil && o.Parent() == o.Pkg().Scope() {
			return o.Pkg().Path() + "." + o.Name()
		}
	}
	return ""
}

// counts are the calls of an operation that hand its values on, with the called functions and their files.
type counts struct {
	calls            int
	files, functions map[string]bool
}

// from follows an operation. A function that is only named, as in a table, counts as called.
func (all code) from(start string) counts {
	c := counts{files: map[string]bool{}, functions: map[string]bool{}}
	visited := map[string]bool{start: true}
	for queue := []string{start}; len(queue) > 0; queue = queue[1:] {
		f := all[queue[0]]
		if f.body == nil {
			continue
		}
		info := f.of.TypesInfo
		called := map[*ast.Ident]*ast.CallExpr{}
		ast.Inspect(f.body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if name := calleeOf(n.Fun); name != nil {
					called[name] = n
				}
			case *ast.Ident:
				name := nameOf(info.Uses[n])
				callee, isOurs := all[name]
				if !isOurs {
					return true
				}
				if handsOn(info, n, called[n]) {
					c.calls++
					c.functions[name], c.files[callee.file] = true, true
				}
				if !visited[name] {
					visited[name] = true
					queue = append(queue, name)
				}
			}
			return true
		})
	}
	return c
}

// calleeOf returns the name of the function that an expression calls.
func calleeOf(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.IndexExpr:
		return calleeOf(e.X)
	}
	return nil
}

// handsOn reports whether a call, or a function that is only named, has a receiver or an argument of the
// operation.
func handsOn(info *types.Info, name *ast.Ident, call *ast.CallExpr) bool {
	signature, ok := info.Uses[name].Type().(*types.Signature)
	if !ok {
		return false
	}
	if r := signature.Recv(); r != nil && isOperation(r.Type()) {
		return true
	}
	if call == nil {
		for p := range signature.Params().Variables() {
			if isOperation(p.Type()) {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return isOperation(info.TypeOf(e)) })
}

// isOperation reports whether a type, or what it points at, is a type of an operation.
func isOperation(t types.Type) bool {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	path := named.Obj().Pkg().Path()
	return slices.Contains(operationTypes, path[strings.LastIndexByte(path, '/')+1:]+"."+named.Obj().Name())
}
