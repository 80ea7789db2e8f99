// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"context"
	"fmt"
	"math"
	"reflect"
)

// The bounds of every value, for any budget.
const (
	// maxText and maxElements bound every value that a function reads completely, or makes.
	maxText     = 16 << 20
	maxElements = 1_000_000
	// maxDepth bounds the nesting of lists and maps in such a value.
	maxDepth = 2000
	// maxCalls bounds how deep templates may call templates.
	maxCalls = 200
	// maxMade bounds the values that functions make within a budget, including values that
	// are no longer in use.
	maxMade = 128 << 20
)

// The cost of each operation in steps.
const (
	// turnSteps is the cost of another turn of a loop, or of the call of a template,
	// besides the commands in its body.
	turnSteps = 5
	// bytesPerStep is how much text counts as one step, so that steps bound memory too.
	bytesPerStep = 64
	// actionSteps is the cost of an action in a source that is parsed for one execution.
	actionSteps = 100
	// stepsPerLook is how many steps pass between two looks at the context.
	stepsPerLook = 1 << 16
)

// valueBytes is about how much memory a value in a list or map takes, and elementBytes its
// place in a list alone.
const (
	valueBytes   = 64
	elementBytes = 16
)

// mapValues is how many values a map counts as, besides its own: a small map takes some 300
// bytes.
const mapValues = 4

// Budget is how much an Executor may use.
type Budget struct {
	// For is the purpose of the budget, in messages: "assignment".
	For string
	// Steps bounds the work: fifty million steps take some ten seconds.
	Steps int
	// Output bounds the bytes of the output.
	Output int
}

// exceededError says in a sentence which bound is exceeded.
type exceededError struct{ text string }

func (e *exceededError) Error() string { return e.text }

// exceeded ends an execution from within one of its functions; text/template
// turns the panic into the error of that execution.
func exceeded(format string, args ...any) {
	panic(&exceededError{fmt.Sprintf(format, args...)})
}

// meter is the rest of a budget.
type meter struct {
	ctx    context.Context //nolint:containedctx // functions of templates take no context.
	budget Budget
	steps  int
	output int
	// made is how many bytes functions may still make.
	made int
	// unseen are the steps since the last look at the context.
	unseen int
	// calls is how deep templates call templates at the moment.
	calls int
	// missing are the offsets of actions that wrote a missing value in the current execution.
	missing map[int]bool
}

func newMeter(ctx context.Context, b Budget) meter {
	return meter{ctx: ctx, budget: b, steps: b.Steps, output: b.Output, made: maxMade}
}

// charge takes n steps from the budget.
func (m *meter) charge(n int) {
	if err := m.take(n); err != nil {
		panic(err)
	}
}

// take takes n steps from the budget. Errors: the budget is used up; the context has ended.
func (m *meter) take(n int) error {
	if n < 0 || n > m.steps {
		m.steps = 0
		return &exceededError{fmt.Sprintf("the template does too much work: the budget of an %s is %d steps. Look for endless loops, recursion, "+
			"and loops over large values", m.budget.For, m.budget.Steps)}
	}
	m.steps -= n
	if m.unseen += n; m.unseen >= stepsPerLook {
		m.unseen = 0
		if err := m.ctx.Err(); err != nil {
			return &exceededError{err.Error()}
		}
	}
	return nil
}

// written takes written bytes from the budget.
func (m *meter) written(bytes int) error {
	if bytes > m.output {
		return &exceededError{fmt.Sprintf("the output of the %s exceeds %d MiB", m.budget.For, m.budget.Output>>20)}
	}
	m.output -= bytes
	return nil
}

// product charges for work that grows with both numbers.
func (m *meter) product(a, b int) {
	if a > 0 && b > math.MaxInt/a {
		m.charge(math.MaxInt)
	}
	m.charge(a * b)
}

// keep takes the bytes of a result from the bytes that all functions may make.
func (m *meter) keep(bytes int) {
	if m.made -= bytes; m.made < 0 {
		exceeded("the functions make more than %d MiB in one %s. Look for large values that grow in a loop", maxMade>>20, m.budget.For)
	}
}

// room refuses a text of too many bytes, before or after a function makes it.
func (m *meter) room(bytes int) {
	if bytes < 0 || bytes > maxText {
		exceeded("a function would make a text of more than %d MiB", maxText>>20)
	}
}

// elements checks and charges for a list or map of that many elements.
func (m *meter) elements(n int) {
	if n < 0 || n > maxElements {
		exceeded("a function would make a list of more than %d elements", maxElements)
	}
	m.charge(n)
}

// outermost charges for the outermost level of a value. It returns the number of elements of
// a list or map.
func (m *meter) outermost(v any) int {
	switch v := reflect.ValueOf(v); v.Kind() {
	case reflect.String:
		m.charge(1 + v.Len()/bytesPerStep)
	case reflect.Map, reflect.Slice, reflect.Array:
		m.elements(v.Len())
		return v.Len()
	default:
		m.charge(1)
	}
	return 0
}

// deep checks and charges for a function that goes through the whole value. It returns the
// size of the value.
func (m *meter) deep(v any) (s size) {
	defer func() { m.charge(s.steps()) }() // also for a part of a value that is beyond the bounds
	s.add(v, 0)
	return s
}
