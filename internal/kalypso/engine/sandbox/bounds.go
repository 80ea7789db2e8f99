// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"time"
)

// The bounds of templates. The platform team writes templates, so the bounds stop mistakes.
const (
	// MaxTime is how long rendering one package may take.
	MaxTime = 10 * time.Second
	// maxOutput is how many bytes the output of one package may have, counting each rendering.
	maxOutput = 16 << 20
	// maxValue is how many bytes a value that a function returns may take (size).
	maxValue = 16 << 20
	// maxDepth is how deep lists and maps may be nested in such a value.
	maxDepth = 2000
	// maxCalls is how deep templates may call templates.
	maxCalls = 200
	// maxNesting is how deep blocks may be nested in one template.
	maxNesting = 200
	// maxSource is how many bytes a source may have.
	maxSource = 1 << 20
)

// exceededError says in a sentence which bound is exceeded.
type exceededError struct{ text string }

func (e *exceededError) Error() string { return e.text }

// exceeded ends an execution from within one of its functions: text/template turns the panic
// into the error of that execution.
func exceeded(format string, args ...any) {
	panic(&exceededError{fmt.Sprintf(format, args...)})
}
