// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"bytes"
	"context"
	"fmt"
)

// maxOutput is how many bytes the output of one package may have, counting each rendering. The
// platform team writes templates, so the bound stops mistakes.
const maxOutput = 16 << 20

// Execution executes the programs of one package, one at a time. It is the writer of their output,
// and ends them: text/template itself cannot be interrupted, but it writes.
type Execution struct {
	ctx    context.Context //nolint:containedctx // a writer takes no context.
	left   int             // bytes of output
	isFull bool            // no bytes were left
	output bytes.Buffer
}

// NewExecution returns the execution of a package. It ends with the context; its cause is then the
// error.
func NewExecution(ctx context.Context) *Execution { return &Execution{ctx: ctx, left: maxOutput} }

// IsFull reports whether the output of the package has exceeded its bound.
func (e *Execution) IsFull() bool { return e.isFull }

// Execute executes a program on data of the language's type. It returns the output, which
// is valid until the next call. It returns an error, in prose with the place in the source
// (mostly an Error), if the template fails or exceeds a bound.
func (e *Execution) Execute(p *Program, data any) (text []byte, err error) {
	// A panic of text/template itself is the fault of the template that it runs.
	defer func() {
		if r := recover(); r != nil {
			text, err = nil, fmt.Errorf("the template cannot be executed: %v", r)
		}
	}()
	e.output.Reset()
	if err := p.template.Execute(e, data); err != nil {
		return nil, p.executionError(err)
	}
	return e.output.Bytes(), nil
}

// Write takes a text of the output. Errors: the bound of the output is exceeded; the context has
// ended.
func (e *Execution) Write(text []byte) (int, error) {
	if e.ctx.Err() != nil {
		return 0, context.Cause(e.ctx)
	}
	if len(text) > e.left {
		e.isFull = true
		return 0, fmt.Errorf("the output of the package exceeds %d MiB", maxOutput>>20)
	}
	e.left -= len(text)
	return e.output.Write(text)
}
