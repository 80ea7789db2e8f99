// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleetview_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleetview"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/deployed"
)

var update = flag.Bool("update", false, "write the golden files anew")

// A fleet as forges show it.
func TestMarkdown(t *testing.T) {
	t.Parallel()
	for name, fleet := range map[string]deployments.Fleet{
		"fleet": deployed.Fleet(10), "large": deployed.Fleet(600), "nothing": {}, "one": {Environments: []deployments.Environment{{Name: "dev"}}},
		"missing": {Time: time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC), Environments: []deployments.Environment{{Name: "dev", Head: "1"},
			{Name: "prod", Head: "1", NoFolder: true}, {Name: "stage"}}},
		"same": {Environments: []deployments.Environment{{Name: "dev", Head: "1"}, {Name: "prod", Head: "1"}}},
	} {
		golden := filepath.Join("testdata", name+".md")
		got := fleetview.Markdown(fleet)
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// maxPage is how large a page of 2,000 packages in each of three environments may be.
const maxPage = 3 << 20

func TestPageSize(t *testing.T) {
	t.Parallel()
	page := fleetview.Page(deployed.Fleet(2000))
	t.Logf("%d bytes", len(page))
	if len(page) >= maxPage {
		t.Errorf("the page has %d bytes", len(page))
	}
}
