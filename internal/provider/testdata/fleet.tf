resource "kalypso_workload" "web" {
  name      = "web"
  workspace = "web-team"
  labels    = { family = FAMILY }
  deployment_target {
    name        = "live"
    environment = "prod"
    labels      = { purpose = "live" }
    manifests   = { repo = "https://git.example/web", branch = "main", path = "./live" }
  }
  deployment_target {
    name        = "test"
    environment = "dev"
    labels      = { purpose = "test" }
    manifests   = { repo = "https://git.example/web", branch = "dev", path = "./test" }
  }
}

resource "kalypso_cluster_type" "large" {
  name              = "large"
  labels            = { size = "large", tier = "cloud" }
  reconciler        = kalypso_template.reconciler.name
  namespace_service = kalypso_template.namespace.name
  config_type       = kalypso_template.config.name
}

resource "kalypso_scheduling_policy" "web" {
  name = "web-everywhere"
  deployment_target_selector {
    workspace    = "web-team"
    match_labels = { purpose = "live" }
  }
  cluster_type_selector {
    match_labels = { tier = "cloud" }
  }
}

resource "kalypso_scheduling_policy" "batch" {
  name = "batch-on-large"
  deployment_target_selector {
    workspace = "batch-team"
    match_all = true
  }
  cluster_type_selector {
    match_labels = { size = "large" }
  }
}

resource "kalypso_gitops_repo" "prod" {
  name   = "prod"
  repo   = URL
  branch = "prod"
  path   = "."
}

locals {
  config = <<-EOT
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: all, labels: {platform-config: "true"}}
    data: {REGION: Europe}
  EOT
  fleet = concat(
    [OPTIONAL],
    [
      kalypso_cluster_type.large.manifest,
      kalypso_template.reconciler.manifest, kalypso_template.namespace.manifest, kalypso_template.config.manifest,
      kalypso_workload.web.manifest,
      kalypso_scheduling_policy.web.manifest, kalypso_scheduling_policy.batch.manifest,
      local.config, kalypso_gitops_repo.prod.manifest,
    ],
  )
}

resource "kalypso_gitops_commit" "prod" {
  environment = "prod"
  manifests   = local.fleet
  COMMIT
}
