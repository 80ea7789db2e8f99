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
