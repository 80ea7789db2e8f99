resource "kalypso_scheduling_policy" "functional" {
  name = "functional-test-policy"

  deployment_target_selector {
    workspace    = "kaizen-app-team"
    match_labels = { purpose = "functional-test", edge = "true" }
    match_expression {
      key      = "tier"
      operator = "NotIn"
      values   = ["experimental"]
    }
  }

  cluster_type_selector {
    match_labels = { restricted = "true", edge = "true" }
  }
}

resource "kalypso_scheduling_policy" "observability" {
  name = "observability"

  deployment_target_selector {
    match_labels = { family = "observability" }
  }

  cluster_type_selector {
    match_all = true
  }
}
