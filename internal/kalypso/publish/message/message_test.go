// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package message_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
)

// What is wrong with many objects in one way is one error.
func TestProblemsAlike(t *testing.T) {
	t.Parallel()
	var list problem.List
	for i := range 30 {
		list.Add(problem.Problem{Summary: "Unknown field", Subject: fmt.Sprintf("ClusterType/c%02d", i), Where: "c.yaml:9",
			Detail: "There is no field x."})
	}
	list.Add(problem.Problem{Summary: "Unknown field", Subject: "ClusterType/z", Where: "c.yaml:9", Detail: "There is no field y."})
	all := message.Problems(list)
	if len(all) != 2 || !strings.HasPrefix(all[0].Detail, "ClusterType/c00 (c.yaml:9): There is no field x.\n\nThe same problem "+
		"is in 29 more: ClusterType/c01 (c.yaml:9), ") ||
		!strings.HasSuffix(all[0].Detail, " and 24 more.") || all[1].Detail != "ClusterType/z (c.yaml:9): There is no field y." {
		t.Errorf("%q", all)
	}
}
