// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package markdown_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/markdown"
)

// Few cluster types are columns, many are lists, and long tables say how many rows are
// missing.
func TestMatrix(t *testing.T) {
	t.Parallel()
	matrix := func(rows, columns int) string {
		var m markdown.Matrix
		for i := range rows {
			for j := range columns {
				m.Set(fmt.Sprintf("t%03d", i), fmt.Sprintf("c%02d", j), "✔")
			}
		}
		return m.Markdown(nil)
	}
	for _, test := range []struct {
		rows, columns int
		head, row     string
		more          string
	}{
		{0, 0, "", "", ""},
		{2, 3, "| Deployment target | `c00` | `c01` | `c02` |\n|---|---|---|---|\n", "| `t001` | ✔ | ✔ | ✔ |\n", ""},
		{1, 13, "| Deployment target | Cluster types |\n|---|---|\n", "| `t000` | `c00`, `c01`,", ""},
		{1, 25, "| Deployment target | Cluster types |\n", "`c19`, 5 more |\n", ""},
		{510, 1, "| Deployment target | `c00` |\n", "| `t499` | ✔ |\n", "\nRows not shown: 10.\n"},
	} {
		got := matrix(test.rows, test.columns)
		if !strings.HasPrefix(got, test.head) || !strings.Contains(got, test.row) || !strings.HasSuffix(got, test.more) ||
			strings.Contains(got, "`t500`") {
			t.Errorf("%d by %d is\n%s", test.rows, test.columns, got)
		}
	}
}

func TestFlowchart(t *testing.T) {
	t.Parallel()
	for edges, drawn := range map[int]bool{0: false, 1: true, markdown.MaxEdges: true, markdown.MaxEdges + 1: false} {
		var f markdown.Flowchart
		for i := range edges {
			f.Edge(fmt.Sprint("t", i), "c", "", false)
		}
		if got := f.Lines(); f.Empty() == drawn || (len(got) > 0) != drawn || drawn && len(got) != 3+1+2*edges {
			t.Errorf("%d edges are %q", edges, got)
		}
	}
}

func TestLink(t *testing.T) {
	t.Parallel()
	if got := markdown.Link("a|b", "https://e.com/<x>|\\\n\x80"); got != `[a&#124;b](<https://e.com/%3Cx%3E%7C%5C>)` {
		t.Errorf("the link is %s", got)
	}
}
