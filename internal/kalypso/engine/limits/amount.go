// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package limits

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// Amount is a number of packages, or a share of the current ones.
type Amount struct {
	text  string
	value *big.Rat
	share bool
}

var amount = regexp.MustCompile(`^[0-9]{1,9}(\.[0-9]{1,9})?%$|^[0-9]{1,9}$`)

// ParseAmount reads a count ("25") or a share ("10%", "2.5%"). Errors: anything
// else, and shares above 100%.
func ParseAmount(text string) (*Amount, error) {
	number, share := strings.CutSuffix(text, "%")
	value, ok := new(big.Rat).SetString(number)
	if !amount.MatchString(text) || !ok {
		return nil, fmt.Errorf("%q is neither a count such as \"25\" nor a share such as \"10%%\"", text)
	}
	if share && value.Cmp(big.NewRat(100, 1)) > 0 {
		return nil, fmt.Errorf("%q is more than all; a share is at most \"100%%\"", text)
	}
	return &Amount{text, value, share}, nil
}

// String gives the amount as it was written.
func (a *Amount) String() string { return a.text }

// of gives how many of that many packages the amount is, rounded down.
func (a *Amount) of(all int) int {
	n := a.value
	if a.share {
		n = new(big.Rat).Mul(a.value, big.NewRat(int64(all), 100))
	}
	return int(new(big.Int).Quo(n.Num(), n.Denom()).Int64())
}
