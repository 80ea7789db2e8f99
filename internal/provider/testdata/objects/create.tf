resource "kalypso_cluster_type" "drone" {
  name              = "drone"
  labels            = { region = "east-us", edge = "true" }
  reconciler        = "arc-flux"
  namespace_service = "arc-namespace"
  config_type       = "arc-config"
}

resource "kalypso_gitops_repo" "dev" {
  name   = "dev"
  labels = { stage = "first" }
  repo   = "https://github.com/microsoft/kalypso-gitops"
  branch = "dev"
  path   = "."
}

resource "kalypso_scheduling_policy" "functional" {
  name                  = "functional-test-policy"
  placement             = "two-sites"
  per_deployment_target = true
  deployment_target_selector {
    workspace    = "kaizen-app-team"
    match_labels = { purpose = "functional-test" }
    match_expression {
      key      = "tier"
      operator = "NotIn"
      values   = ["experimental", "old"]
    }
    match_expression {
      key      = "edge"
      operator = "Exists"
    }
  }
  cluster_type_selector {
    match_all = true
  }
}

resource "kalypso_template" "namespace" {
  name      = "arc-namespace"
  type      = "namespace"
  manifests = [<<-EOT
    apiVersion: v1
    kind: Namespace
    metadata:
      name: {{ .Namespace }}
  EOT
  ]
}

resource "kalypso_workload" "hello" {
  name           = "hello-world-app"
  workspace      = "kaizen-app-team"
  labels         = { type = "application" }
  config_schemas = [jsonencode({ type = "object" })]
  deployment_target {
    name        = "performance-test"
    environment = "dev"
  }
  deployment_target {
    name           = "functional-test"
    environment    = "dev"
    labels         = { purpose = "functional-test", edge = "true" }
    manifests      = { repo = "https://github.com/microsoft/kalypso-app-gitops", branch = "dev", path = "./functional-test" }
    config_schemas = [jsonencode({ required = ["REGION"] })]
  }
}

resource "kalypso_workload" "shop" {
  name = "shop"
  deployment_target {
    name        = "checkout"
    environment = "stage"
    labels      = { tier = "stage" }
  }
  deployment_target {
    name        = "checkout"
    environment = "dev"
    labels      = { tier = "dev" }
  }
  deployment_target {
    name        = "reporting"
    environment = "dev"
  }
}
