// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package markdown_test

import (
	"fmt"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/markdown"
)

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
