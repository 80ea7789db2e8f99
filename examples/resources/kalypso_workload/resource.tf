resource "kalypso_workload" "hello" {
  name      = "hello-world-app"
  workspace = "kaizen-app-team"
  labels    = { type = "application", family = "force" }

  config_schemas = [jsonencode({
    type     = "object"
    required = ["REGION"]
  })]

  deployment_target {
    name        = "functional-test"
    environment = "dev"
    labels      = { purpose = "functional-test", edge = "true" }
    manifests = {
      repo   = "https://github.com/microsoft/kalypso-app-gitops"
      branch = "dev"
      path   = "./functional-test"
    }
  }
}
