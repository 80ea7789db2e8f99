// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"reflect"
	"text/template"
)

// Functions that the instrumenter puts into templates. The language does not contain them,
// so templates themselves cannot call them.
const (
	hookPrefix = "sandbox_"
	// hookStep begins every body that can run more than once. Its argument is the number of
	// commands in the body.
	hookStep = hookPrefix + "step"
	// hookEnter and hookLeave enclose the body of every template that is called.
	hookEnter = hookPrefix + "enter"
	hookLeave = hookPrefix + "leave"
	// hookRange takes the value of a range, before text/template sorts its keys.
	hookRange = hookPrefix + "range"
	// hookWrite takes the offset of an action and its value, before the value is
	// formatted.
	hookWrite = hookPrefix + "write"
	// hookCompare takes the operands of text/template's own functions.
	hookCompare = hookPrefix + "compare"
)

// hooks returns these functions by their names.
func (m *meter) hooks() template.FuncMap {
	return template.FuncMap{
		hookStep: func(commands int) string {
			m.charge(turnSteps + commands)
			return ""
		},
		hookEnter: func(commands int) string {
			m.charge(turnSteps + commands)
			if m.calls++; m.calls > maxCalls {
				exceeded("templates call each other more than %d levels deep. Look for endless recursion", maxCalls)
			}
			return ""
		},
		hookLeave: func() string {
			m.calls--
			return ""
		},
		hookRange: func(v reflect.Value) reflect.Value {
			if v.IsValid() && v.Kind() == reflect.Map {
				m.charge(4 * v.Len()) // text/template sorts the keys
			}
			return v
		},
		hookWrite: func(offset int, v reflect.Value) reflect.Value {
			if !v.IsValid() {
				if m.missing == nil {
					m.missing = map[int]bool{}
				}
				m.missing[offset] = true
			} else if v.CanInterface() {
				m.deep(v.Interface())
			}
			return v
		},
		hookCompare: func(v reflect.Value) reflect.Value {
			if v.IsValid() && v.Kind() == reflect.String {
				m.outermost(v.String())
			}
			return v
		},
	}
}
