// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package scheduling

import (
	"fmt"
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
)

// Ours: CEL bounds how long an expression is, and not what the macros and types in it come
// to. {x: x} has twice the type of x, and optMap writes what it is called on twice, so that
// two hundred letters could be compiled for hours. Here an expression is measured as it is
// written, before its macros are expanded and its types are checked.

// maxSize is how many parts an expression may have with its macros expanded. A type check
// looks at all others for each of some parts.
const maxSize = 2000

// maxNested is how many parts of an expression may have types that hold another's: lists
// and maps of what is no constant, optional values, and macros that name a variable.
const maxNested = 50

// maxComputedMaps is how many maps may have computed keys, each of which may double a type.
const maxComputedMaps = 4

// nesting are the functions and macros whose types, or those of their variables, hold another.
var nesting = []string{
	"all", "exists", "exists_one", "existsOne", "filter", "map", "optMap", "optFlatMap",
	"of", "ofNonZeroValue", "type", operators.OptIndex, operators.OptSelect,
}

// newWritten returns what parses expressions as they are written, without macros.
func newWritten() (*cel.Env, error) {
	return cel.NewCustomEnv(cel.OptionalTypes(), cel.ClearMacros())
}

// extent is how much there is in an expression.
type extent struct{ size, nested, computedMaps int }

// compilable returns about what compiling an expression costs, in CEL's units, and an error
// where that would take more than a moment. One that is no expression costs nothing, as
// compiling says what is wrong.
func compilable(written *cel.Env, text string) (cost uint64, err error) {
	parsed, issues := written.Parse(text)
	if issues.Err() != nil {
		return 0, nil
	}
	var of extent
	of.measure(parsed.NativeRep().Expr(), 1)
	switch {
	case of.size > maxSize:
		return 0, fmt.Errorf("it has more than %d parts, where optMap and optFlatMap count what they are called on twice", maxSize)
	case of.nested > maxNested:
		return 0, fmt.Errorf("it has more than %d macros such as all and map, and lists and maps of what is no constant", maxNested)
	case of.computedMaps > maxComputedMaps:
		return 0, fmt.Errorf("it has more than %d maps with keys that are no constants", maxComputedMaps)
	}
	return uint64(of.size*of.size+of.nested*of.nested*of.nested<<of.computedMaps) / 2, nil //nolint:gosec // none of them is below zero
}

// measure adds what an expression holds, which is written so many times when macros are
// expanded. It ends where that is too large already.
func (of *extent) measure(e ast.Expr, times int) {
	if of.size > maxSize {
		return
	}
	if computed(e) { // constants cost next to nothing: a list may have many
		of.size += times
	}
	switch e.Kind() {
	case ast.SelectKind:
		of.measure(e.AsSelect().Operand(), times)
	case ast.CallKind:
		of.measureCall(e.AsCall(), times)
	case ast.ListKind:
		of.measureList(e.AsList().Elements(), times)
	case ast.MapKind:
		of.measureMap(e.AsMap(), times)
	case ast.StructKind:
		for _, field := range e.AsStruct().Fields() {
			of.measure(field.AsStructField().Value(), times)
		}
	default: // holds nothing
	}
}

func (of *extent) measureCall(call ast.CallExpr, times int) {
	if slices.Contains(nesting, call.FunctionName()) {
		of.nested += times
	}
	if call.IsMemberFunction() {
		called := times
		if call.FunctionName() == "optMap" || call.FunctionName() == "optFlatMap" {
			called *= 2
		}
		of.measure(call.Target(), called)
	}
	for _, arg := range call.Args() {
		of.measure(arg, times)
	}
}

func (of *extent) measureList(elements []ast.Expr, times int) {
	if slices.ContainsFunc(elements, computed) {
		of.nested += times
	}
	for _, element := range elements {
		of.measure(element, times)
	}
}

func (of *extent) measureMap(m ast.MapExpr, times int) {
	var keys, values []ast.Expr
	for _, entry := range m.Entries() {
		keys, values = append(keys, entry.AsMapEntry().Key()), append(values, entry.AsMapEntry().Value())
	}
	if slices.ContainsFunc(keys, computed) {
		of.computedMaps += times
	}
	of.measureList(keys, times)
	of.measureList(values, times)
}

// computed reports whether an expression is no constant.
func computed(e ast.Expr) bool { return e.Kind() != ast.LiteralKind }
