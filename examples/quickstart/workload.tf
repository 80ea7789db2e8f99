# An application with its variants, the deployment targets.
resource "kalypso_workload" "hello_world" {
  name      = "hello-world-app"
  workspace = "kaizen-app-team"
  labels    = { type = "application", family = "force" }

  deployment_target {
    name        = "functional-test"
    environment = "dev"
    labels      = { purpose = "functional-test", edge = "true" }
    manifests   = { repo = "https://github.com/microsoft/kalypso-app-gitops", branch = "dev", path = "./functional-test" }
  }
  deployment_target {
    name        = "performance-test"
    environment = "dev"
    labels      = { purpose = "performance-test", edge = "false" }
    manifests   = { repo = "https://github.com/microsoft/kalypso-app-gitops", branch = "dev", path = "./performance-test" }
  }
}

# Policies that place the deployment targets on cluster types.
resource "kalypso_scheduling_policy" "this" {
  for_each = {
    functional-test  = { restricted = "true", edge = "true" }
    performance-test = { region = "west-us" }
  }

  name = "${each.key}-policy"

  deployment_target_selector {
    workspace    = "kaizen-app-team"
    match_labels = { purpose = each.key }
  }

  cluster_type_selector {
    match_labels = each.value
  }
}
