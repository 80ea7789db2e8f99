// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"regexp"
	"strconv"
	"strings"
)

// maxWidth is the largest width and precision that package fmt takes.
const maxWidth = 1_000_000

// formatVerb matches a verb of a format with its flags, width and precision. formatWidth
// matches a width or a precision: digits, or a star for an argument.
var (
	formatVerb  = regexp.MustCompile(`(?s)%[-+# 0-9.*\[\]]*.?`)
	formatWidth = regexp.MustCompile(`[0-9]+|\*`)
)

// format refuses two sorts of output of printf: output that could fill the memory, and
// addresses, which differ from run to run.
func (m *meter) format(a arguments) {
	format, args := a.text(0), a[1].Interface().([]any) //nolint:errcheck,forcetypeassert // by its type.
	m.shortText(format, maxParsed)
	m.charge(len(format))
	bytes, elements, widest := 0, 1, 0
	for _, arg := range args {
		s := m.deep(arg)
		bytes, elements = bytes+s.bytes, max(elements, s.elements)
		switch n := arg.(type) {
		case int:
			widest = max(widest, n, -n)
		case int64:
			widest = max(widest, int(n), int(-n))
		}
	}
	widths, copies, verbs := 0, 1, formatVerb.FindAllString(format, -1)
	for _, v := range verbs {
		if strings.Contains(v, "[") { // then each verb may name the longest argument
			copies = len(verbs)
		}
		if strings.HasSuffix(v, "p") {
			exceeded("printf does not take %%p: addresses differ from run to run")
		}
		for _, n := range formatWidth.FindAllString(v, -1) {
			width, err := strconv.Atoi(n)
			if n == "*" {
				width = widest
			} else if err != nil {
				width = maxWidth
			}
			widths += min(width, maxWidth)
		}
	}
	// A width is that of each element of a list.
	m.room(len(format) + times(widths, elements) + times(copies, bytes))
}
