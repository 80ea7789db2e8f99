locals {
  functional = provider::kalypso::manifest({
    kind = "SchedulingPolicy"
    name = "functional-test-policy"

    deployment_target_selector = {
      workspace         = "kaizen-app-team"
      match_labels      = { purpose = "functional-test", edge = "true" }
      match_expressions = [{ key = "tier", operator = "NotIn", values = ["experimental"] }]
    }

    cluster_type_selector = {
      match_labels = { restricted = "true", edge = "true" }
    }
  })

  # To select all cluster types, write match_all = true.
  observability = provider::kalypso::manifest({
    kind                       = "SchedulingPolicy"
    name                       = "observability"
    deployment_target_selector = { match_labels = { family = "observability" } }
    cluster_type_selector      = { match_all = true }
  })
}
