// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"strings"
)

// maxWidth is the largest width and precision that package fmt takes.
const maxWidth = 1_000_000

// printf is text/template's, except that it refuses two sorts of output: output that could
// fill the memory, before it does, and addresses, which differ from run to run.
func printf(format string, args ...any) string {
	f := scanFormat(format)
	if f.address {
		exceeded("printf does not take %%p: addresses differ from run to run")
	}
	width := f.widths
	if f.star {
		width += times(f.verbs, starWidth(args))
	}
	bytes, elements := 0, 1
	for _, arg := range args {
		s, err := measure(arg)
		if err != nil {
			panic(err)
		}
		bytes, elements = bytes+s.bytes, max(elements, s.elements)
	}
	width = times(width, elements) // a width is that of each element of a list
	if f.reuses {
		bytes = times(f.verbs, bytes)
	}
	if len(format)+width+bytes > maxText {
		exceeded("printf would make a text of more than %d MiB", maxText>>20)
	}
	return fmt.Sprintf(format, args...)
}

// formatScan is the relevant parts of a format.
type formatScan struct {
	verbs int
	// widths is the sum of all widths and precisions.
	widths int
	// star reports whether some width is an argument, reuses whether an argument
	// is named by its position, and address whether a verb writes addresses.
	star, reuses, address bool
}

func scanFormat(format string) formatScan {
	var f formatScan
	for {
		_, rest, found := strings.Cut(format, "%")
		if !found {
			return f
		}
		f.verbs++
		end := strings.IndexFunc(rest, func(r rune) bool { return !strings.ContainsRune("+-# 0123456789.*[]", r) })
		if end < 0 {
			end = len(rest)
		}
		flags := rest[:end]
		f.star = f.star || strings.Contains(flags, "*")
		f.reuses = f.reuses || strings.Contains(flags, "[")
		f.address = f.address || strings.HasPrefix(rest[end:], "p")
		f.widths = min(f.widths+widthsIn(flags), 2*maxText)
		format = strings.TrimPrefix(rest[end:], "%")
	}
}

// widthsIn returns the sum of the numbers in the flags of a verb.
func widthsIn(flags string) int {
	sum, number := 0, 0
	for _, r := range flags {
		if r >= '0' && r <= '9' {
			number = min(10*number+int(r-'0'), maxWidth)
			continue
		}
		sum, number = sum+number, 0
	}
	return sum + number
}

// starWidth returns the largest width that an argument can stand for.
func starWidth(args []any) int {
	width := 0
	for _, arg := range args {
		switch n := arg.(type) {
		case int:
			width = max(width, min(max(n, -n), maxWidth))
		case int64:
			width = max(width, int(min(max(n, -n), maxWidth)))
		}
	}
	return 2 * width // width and precision
}
