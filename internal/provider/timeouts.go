// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
)

// defaultTimeout is the time of one operation, unless timeouts says otherwise.
const defaultTimeout = 5 * time.Minute

// Descriptions of the timeouts; see defaultTimeout.
const (
	timeoutText     = "The longest time, as `30s` or `2h45m`. Defaults to `5m`."
	readTimeoutText = "The longest time of a refresh, and of a plan, as `30s` or `2h45m`. Defaults to `5m`."
)

// timeLimit is a setting in the block timeouts.
type timeLimit struct {
	name string
	get  func(ctx context.Context, otherwise time.Duration) (time.Duration, diag.Diagnostics)
}

// read returns the time, which is positive.
func (l timeLimit) read(ctx context.Context, otherwise time.Duration) (time.Duration, diag.Diagnostics) {
	limit, diags := l.get(ctx, otherwise)
	if limit <= 0 && !diags.HasError() {
		diags.AddAttributeError(path.Root("timeouts").AtName(l.name), "Invalid timeout", fmt.Sprintf("timeouts.%s is %s, and has to be longer "+
			"than 0s, such as 5m.", l.name, limit))
	}
	return limit, diags
}

// run carries out an operation in this time. A message that advises more time names the setting.
func (l timeLimit) run(ctx context.Context, do func(ctx context.Context) message.Messages) diag.Diagnostics {
	limit, diags := l.read(ctx, defaultTimeout)
	if diags.HasError() {
		return diags
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	m := do(ctx)
	for _, list := range [][]message.Message{m.Warnings, m.Errors} {
		for i := range list {
			list[i].Detail = l.named(list[i].Detail)
		}
	}
	return append(diags, diagnostics(m)...)
}

// named returns a text that names the setting where other packages advise more time (timeouts).
func (l timeLimit) named(text string) string {
	return strings.ReplaceAll(text, "(timeouts)", "(timeouts."+l.name+")")
}
