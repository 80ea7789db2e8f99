// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package scheduling

import "fmt"

// CheckExpression returns an error, with the column, if a text is not a valid expression of
// a celSelector: it does not compile, or its result is neither true nor false.
func CheckExpression(text string) error {
	if _, err := (&hub{}).compile(text); err != nil {
		return fmt.Errorf("%q is not: %w", text, err)
	}
	return nil
}
