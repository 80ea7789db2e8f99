// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package scheduling

import (
	"regexp/syntax"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
)

// Ours: CEL's costs are counted when a function has already run, and many functions cost
// 1 whatever they are given. So an expression of a hundred letters would take hours, or
// all memory. Here what a function is given is weighed before it runs.

// maxWeight is what a function may be given, or come to: so many elements, or a megabyte
// of text.
const maxWeight = 1 << 17

// maxSearch is the most that the weights of a text and of what is searched there may come
// to, multiplied: some million steps.
const maxSearch = 1 << 18

// unitCost is what a unit of weight costs, in CEL's units.
const unitCost = 4

// lettersOfUnit are the letters of a text that weigh as much as an element of a list.
const lettersOfUnit = 8

// meter counts what functions were given, in CEL's units of cost.
type meter struct{ spent, limit uint64 }

// bounded is a call that runs only where it is given little enough.
type bounded struct {
	interpreter.InterpretableCall
	run   functions.FunctionOp
	meter *meter
}

// boundCalls bounds the calls of a program in the environment, all of which count on one meter.
func boundCalls(env *cel.Env, m *meter) cel.ProgramOption {
	return cel.CustomDecoratorV2(func(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
		call, ok := i.(interpreter.InterpretableCall)
		if !ok || call.Function() == operators.NotStrictlyFalse {
			return i, nil
		}
		run, err := implementation(env, call.Function())
		if err != nil || run == nil {
			return i, err
		}
		return &bounded{call, run, m}, nil
	})
}

// implementation returns what runs a function, for all types of arguments; nil where
// something else than a function does.
func implementation(env *cel.Env, name string) (functions.FunctionOp, error) {
	switch name {
	case operators.Equals:
		return func(args ...ref.Val) ref.Val { return types.Equal(args[0], args[1]) }, nil
	case operators.NotEquals:
		return func(args ...ref.Val) ref.Val { return types.Bool(types.Equal(args[0], args[1]) != types.True) }, nil
	}
	function, exists := env.Functions()[name]
	if !exists {
		return nil, nil
	}
	overloads, err := function.Bindings()
	if err != nil {
		return nil, err
	}
	for _, o := range overloads {
		if o.Operator != name || o.NonStrict {
			continue
		}
		return func(args ...ref.Val) ref.Val {
			switch {
			case len(args) == 1 && o.Unary != nil:
				return o.Unary(args[0])
			case len(args) == 2 && o.Binary != nil:
				return o.Binary(args[0], args[1])
			case o.Function != nil:
				return o.Function(args...)
			}
			return types.NewErr("no such overload: %s", name)
		}, nil
	}
	return nil, nil
}

// Args returns the arguments, without telling which are constants: a call with a constant
// pattern would be replaced by one that is not bounded.
func (b *bounded) Args() []interpreter.InterpretableV2 {
	args := b.InterpretableCall.Args()
	hidden := make([]interpreter.InterpretableV2, len(args))
	for i, arg := range args {
		hidden[i] = struct{ interpreter.InterpretableV2 }{arg}
	}
	return hidden
}

// Exec runs the call.
func (b *bounded) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	args := make([]ref.Val, len(b.InterpretableCall.Args()))
	for i, arg := range b.InterpretableCall.Args() {
		args[i] = arg.Exec(frame)
		if types.IsUnknownOrError(args[i]) {
			return args[i]
		}
	}
	if !b.meter.allows(b.Function(), args) {
		panic(interpreter.EvalCancelledError{ // as CEL does where its limit of cost is reached
			Cause: interpreter.CostLimitExceeded, Message: "the function " + b.Function() + " is given too much",
		})
	}
	return b.run(args...)
}

// Eval runs the call.
func (b *bounded) Eval(vars interpreter.Activation) ref.Val { return b.Exec(interpreter.AsFrame(vars)) }

// allows reports whether a function may run, and counts what it is given.
func (m *meter) allows(function string, args []ref.Val) bool {
	left := maxWeight
	var lengths []int
	for _, arg := range args {
		before := left
		left = weigh(arg, left)
		lengths = append(lengths, before-left)
	}
	steps := searched(function, args, lengths)
	m.spent += uint64(unitCost*(maxWeight-max(left, 0)) + steps) //nolint:gosec // none of them is below zero
	return left >= 0 && m.spent <= m.limit && steps <= maxSearch && made(function, args, lengths) <= maxWeight
}

// searched is the weights, multiplied, of what a function searches in what.
func searched(function string, args []ref.Val, lengths []int) int {
	if len(args) < 2 {
		return 0
	}
	switch function {
	case operators.In, "indexOf", "lastIndexOf":
		return lengths[0] * lengths[1]
	case "matches", "find", "findAll":
		if pattern, ok := args[1].(types.String); ok {
			return lengths[0] * instructions(string(pattern))
		}
	}
	return 0
}

// instructions is how many a pattern consists of; 0 where it is none.
func instructions(pattern string) int {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0
	}
	return len(program.Inst)
}

// made is about what weighs that comes of a function which makes more of what it is given.
func made(function string, args []ref.Val, lengths []int) int {
	switch {
	case function == "join" && len(args) > 1:
		return lengths[0] * (lengths[1] + 1)
	case function == "replace" && len(args) > 2:
		return replaced(args, lengths)
	case function == "quantity" || function == "isQuantity":
		if text, ok := args[0].(types.String); ok && hugeExponent(string(text)) {
			return maxWeight + 1 // in time
		}
	}
	return 0
}

// replaced is about what a text weighs after a replacement.
func replaced(args []ref.Val, lengths []int) int {
	text, ok := args[0].(types.String)
	old, also := args[1].(types.String)
	if !ok || !also {
		return 0
	}
	return lengths[0] + strings.Count(string(text), string(old))*lengths[2]
}

// hugeExponent reports whether reading a quantity would take more than a moment: one with
// an exponent of more than two digits.
func hugeExponent(quantity string) bool {
	at := strings.LastIndexAny(quantity, "eE")
	return at >= 0 && len(strings.TrimLeft(quantity[at+1:], "+-")) > 2
}

// weigh takes the weight of a value, with everything in it, from what is left; less than
// nothing is left where it weighs more.
func weigh(v ref.Val, left int) int {
	left--
	switch value := v.(type) {
	case types.String:
		return left - len(value)/lettersOfUnit
	case types.Bytes:
		return left - len(value)/lettersOfUnit
	case *types.Optional:
		if value.HasValue() {
			return weigh(value.GetValue(), left)
		}
	case traits.Mapper:
		for it := value.Iterator(); left >= 0 && it.HasNext() == types.True; {
			key := it.Next()
			left = weigh(value.Get(key), weigh(key, left))
		}
	case traits.Lister:
		for it := value.Iterator(); left >= 0 && it.HasNext() == types.True; {
			left = weigh(it.Next(), left)
		}
	}
	return left
}
