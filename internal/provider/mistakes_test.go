// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each of these configurations has a mistake in each line that ends with "# mistake". Terraform validates
// resources only if the provider's block is right.
const (
	providersMistakes = `
provider "kalypso" {
  max_fetch_mib = "many" # mistake
  git {
    url_prefix = "example.com" # mistake
    password   = "secret\n" # mistake
    ca_bundle  = "ca.pem" # mistake
  }
  forge {
    url_prefix = "https://example.com"
    type       = "bitbucket" # mistake
  }
}
`
	manyMistakes = `
resource "kalypso_gitops_commit" "prod" {
  environment        = "prod"
  manifests          = ["# none"]
  repo               = "nowhere" # mistake
  branch             = "a..b" # mistake
  path               = "../up" # mistake
  create_branch_from = "a b" # mistake
  detail             = "file" # mistake
  on_removal         = "remove" # mistake
  on_error           = "stop" # mistake
  commit_message     = "" # mistake
  ignore_findings    = ["POLICY_IDEL"] # mistake
  fail_on            = ["POLICY_IDLE:"] # mistake
  limits {
    max_removed = "ten" # mistake
    max_changed = "101%" # mistake
  }
  freeze {
    from     = "2026-12-18"
    to       = "2027-01-03"
    timezone = "Mars" # mistake
    reason   = "holidays"
  }
  pull_request {
    auto_merge = "yes" # mistake
  }
}

resource "kalypso_cluster_type" "large" {
  name              = "Large type" # mistake
  reconciler        = "a b" # mistake
  namespace_service = "namespace"
}

resource "kalypso_template" "flux" {
  name      = "flux"
  type      = "flux" # mistake
  manifests = ["{{ end }}"] # mistake
}

resource "kalypso_workload" "web" {
  name = "web"
  deployment_target {
    name        = "live"
    environment = "Prod" # mistake
  }
}

resource "kalypso_scheduling_policy" "all" {
  name      = "all"
  placement = "A b" # mistake
  deployment_target_selector {
    match_labels = {} # mistake
  }
  cluster_type_selector {
    match_expression {
      key      = "edge"
      operator = "Equals" # mistake
    }
  }
}

resource "kalypso_commit_status" "report" {
  repo    = "https://github.com/octo/gitops"
  commit  = "main" # mistake
  context = "kalypso/stage"
  state   = "green" # mistake

  target_url = "ftp://x/y" # mistake
}

data "kalypso_promotion" "stage" {
  environment = "stage"
  target {
    repo   = "https://github.com/octo/gitops"
    branch = "stage"
  }
  after {
    environment     = "dev"
    repo            = "https://github.com/octo/gitops"
    branch          = "dev"
    checks_required = false
    soak            = "soon" # mistake
  }
}
`
)

// Terraform reports every mistake of a configuration in one run, each at its own line.
func TestAccMistakes_together(t *testing.T) {
	t.Parallel()
	for config, least := range map[string]int{providersMistakes + inert: 5, manyMistakes: 25} {
		w := newWorkspace(t, config)
		out, _, _ := w.run("validate", "-json") // which fails
		var told struct {
			Diagnostics []struct {
				Severity string
				Range    struct{ Start struct{ Line int } }
			}
		}
		if err := json.Unmarshal([]byte(out), &told); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		lines := strings.Split(readFile(t, w.dir+"/main.tf"), "\n")
		var want, got []string
		for _, line := range lines {
			if strings.HasSuffix(line, "# mistake") {
				want = append(want, line)
			}
		}
		for _, d := range told.Diagnostics {
			if d.Severity == "error" {
				got = append(got, lines[max(d.Range.Start.Line, 1)-1])
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" || len(want) < least {
			t.Errorf("%d mistakes (-want +got):\n%s\n%s", len(want), diff, out)
		}
	}
}
