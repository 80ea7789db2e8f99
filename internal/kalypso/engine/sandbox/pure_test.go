// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// failing are the functions that fail for all these arguments. fail always fails; the others
// take keys and certificates.
var failing = map[string]bool{"fail": true, "buildCustomCert": true, "decryptAES": true, "derivePassword": true}

// Executions share data, and every run renders the same. So each function returns the same
// result for the same arguments and does not change them, except the named functions.
func TestFunctionsArePure(t *testing.T) {
	t.Parallel()
	for name, function := range testLanguage.functions {
		f := reflect.ValueOf(function)
		calls, changes := 0, false
		for number := 0; ; number++ {
			args, more := argumentsOf(f, number)
			if !more {
				break
			}
			result, ok := callFunction(f, args)
			if !ok {
				continue
			}
			calls++
			same, _ := argumentsOf(f, number)
			changes = changes || !cmp.Equal(args, same)
			if again, _ := callFunction(f, same); again != result {
				t.Errorf("%s gives %s, then %s", name, result, again)
			}
		}
		if (calls == 0) != failing[name] {
			t.Errorf("%s takes %d of the arguments", name, calls)
		}
		if want := slices.Contains(mutatingFunctions, name) || name == "sortAlpha"; changes != want {
			t.Errorf("%s changes its arguments: %t, want %t", name, changes, want)
		}
	}
}

// values returns the arguments that functions are called with, made anew.
func values() []any {
	return []any{
		[]string{"b", "a", "b"},
		[]any{"b", "", []any{"d", "c"}, "b"},
		map[string]any{"b": "x", "a": map[string]any{"n": "1"}},
		map[string]any{"a": map[string]any{"m": "2"}, "c": "y"},
		"b", "12", 2, 1.5, true,
	}
}

// argumentsOf returns arguments of all types that the parameters of a function take,
// different ones for each number. more is false if there are no arguments for this number.
func argumentsOf(f reflect.Value, number int) (args []any, more bool) {
	in, count := f.Type(), f.Type().NumIn()
	if in.IsVariadic() {
		count = max(count, 3)
	}
	for i := range count {
		var taken []any
		for _, v := range values() {
			if parameter(in, i).Kind() == reflect.Interface || reflect.TypeOf(v) == parameter(in, i) {
				taken = append(taken, v)
			}
		}
		if len(taken) == 0 {
			return nil, false
		}
		args = append(args, taken[number%len(taken)])
		number /= len(taken)
	}
	return args, number == 0
}

// parameter returns the type of the i-th argument.
func parameter(f reflect.Type, i int) reflect.Type {
	if last := f.NumIn() - 1; f.IsVariadic() && i >= last {
		return f.In(last).Elem()
	}
	return f.In(i)
}

// callFunction returns the result of a function as a text. ok is false if the function
// fails.
func callFunction(f reflect.Value, args []any) (result string, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	in := make([]reflect.Value, len(args))
	for i, arg := range args {
		in[i] = reflect.ValueOf(arg)
	}
	results := f.Call(in)
	if len(results) > 1 && !results[1].IsNil() {
		return "", false
	}
	return fmt.Sprintf("%#v", results[0].Interface()), true
}
