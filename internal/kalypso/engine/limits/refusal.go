// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package limits

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Refuse returns an error in prose where the change exceeds limits and is not
// acknowledged, with the packages by limit and the code that acknowledges it.
// What is final no code lifts. given is what was written down to acknowledge, and
// acknowledged tells that the change's code is among it.
func (l Limits) Refuse(c *Comparison, given string, acknowledged bool, code string) error {
	violations := l.Check(c)
	if acknowledged {
		violations = slices.DeleteFunc(violations, func(v Violation) bool { return !v.Final })
	}
	if len(violations) == 0 {
		return nil
	}
	var b strings.Builder
	liftable, final := false, false
	for _, v := range violations {
		b.WriteString(v.Detail + "\n")
		for _, key := range v.Packages[:min(len(v.Packages), maxListed)] {
			fmt.Fprintf(&b, "  - %s\n", key)
		}
		if more := len(v.Packages) - maxListed; more > 0 {
			fmt.Fprintf(&b, "  and %d more\n", more)
		}
		b.WriteByte('\n')
		liftable, final = liftable || !v.Final, final || v.Final
	}
	if liftable && given != "" {
		fmt.Fprintf(&b, "limits.acknowledge = %q was given for another change, or for other content of the repository. ", given)
	}
	if liftable {
		fmt.Fprintf(&b, "If this change is meant, set acknowledge = %q in limits: the code is good for exactly this change of exactly what stands in the repository.", code)
		if final {
			b.WriteString(" It does not lift protect and allow_empty.")
		}
	}
	return errors.New(strings.TrimSpace(b.String()))
}

// maxListed is how many packages of each limit an error lists, and names a sentence.
const maxListed = 20
