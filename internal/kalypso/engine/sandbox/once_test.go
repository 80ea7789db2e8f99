// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// A source that is executed once takes the work of parsing from the budget, and the executor
// does not keep it.
func TestParseOnce(t *testing.T) {
	t.Parallel()
	e := testLanguage.NewExecutor()
	e.Begin(t.Context(), Budget{For: "test", Steps: 10_000, Output: 1 << 20})
	for i := range 5 {
		p, err := e.Parse(fmt.Sprintf("{{ upper .Name }}%d{{ .Name | quote }}", i))
		if err != nil {
			t.Fatal(err)
		}
		text, err := e.Execute(p, testData{Name: "test"})
		if want := fmt.Sprintf(`TEST%d"test"`, i); err != nil || string(text) != want {
			t.Errorf("got %q and %v, want %q", text, err, want)
		}
	}
	if len(e.prepared) > 0 {
		t.Errorf("%d blocks are kept", len(e.prepared))
	}
	if steps, _ := e.Used(); steps < 5*2*actionSteps {
		t.Errorf("five sources of two actions cost %d steps", steps)
	}
	if _, err := e.Parse(strings.Repeat("{{1}}", 100)); !errors.As(err, new(*exceededError)) || !e.Exhausted() {
		t.Errorf("a hundred actions more are not too many: %v", err)
	}
}

func TestParseOnceSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	e := testLanguage.NewExecutor()
	e.Begin(t.Context(), Budget{For: "test", Steps: 10_000, Output: 1 << 20})
	_, err := e.Parse("a\n{{ .Name }")
	if syntax := new(SyntaxError); !errors.As(err, syntax) || syntax.Line != 2 || e.Exhausted() {
		t.Errorf("%v", err)
	}
}

// An execution ends with its context.
func TestExecutionEndsWithContext(t *testing.T) {
	t.Parallel()
	p, errs := testLanguage.Parse("{{ range 1000000 }}{{ range 1000000 }}{{ end }}{{ end }}")
	if errs != nil {
		t.Fatal(errs)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e := testLanguage.NewExecutor()
	e.Begin(ctx, Budget{For: "test", Steps: 1 << 40, Output: 1})
	if _, err := e.Execute(p, testData{}); err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) || !e.Exhausted() {
		t.Errorf("%v", err)
	}
	if steps, _ := e.Used(); steps > 2*stepsPerLook {
		t.Errorf("it takes %d steps", steps)
	}
}
