locals {
  hello = provider::kalypso::manifest({
    kind      = "Workload"
    name      = "hello-world-app"
    workspace = "kaizen-app-team"
    labels    = { type = "application", family = "force" }

    deployment_target = [{
      name        = "functional-test"
      environment = "dev"
      labels      = { purpose = "functional-test", edge = "true" }
      manifests = {
        repo   = "https://github.com/microsoft/kalypso-app-gitops"
        branch = "dev"
        path   = "./functional-test"
      }
    }]

    config_schemas = [jsonencode({
      type     = "object"
      required = ["REGION"]
    })]
  })
}
