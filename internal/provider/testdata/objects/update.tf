resource "kalypso_cluster_type" "drone" {
  name              = "drone"
  reconciler        = "arc-flux"
  namespace_service = "arc-namespace"
}

resource "kalypso_gitops_repo" "dev" {
  name   = "dev"
  repo   = "git@github.com:microsoft/kalypso-gitops.git"
  branch = "stage"
}

resource "kalypso_scheduling_policy" "functional" {
  name = "functional-test-policy"
  deployment_target_selector {
    match_all = true
    workspace = "other-team"
  }
  cluster_type_selector {
    match_labels = { edge = "true" }
    match_all    = false
  }
}

resource "kalypso_template" "namespace" {
  name         = "arc-namespace"
  labels       = { owner = "platform" }
  type         = "config"
  content_type = "sh"
  manifests = [
    "{{ range $key, $value := .ConfigData }}export {{ $key }}={{ $value | quote }}\n{{ end }}",
    "echo {{ .Namespace | upper }}",
  ]
}

resource "kalypso_workload" "hello" {
  name = "hello-world-app"
  deployment_target {
    name        = "functional-test"
    environment = "stage"
  }
  deployment_target {
    name = "everywhere"
  }
}

resource "kalypso_workload" "shop" {
  name = "shop"
  dynamic "deployment_target" {
    for_each = { stage = "checkout", dev = "reporting" }
    content {
      name        = deployment_target.value
      environment = deployment_target.key
    }
  }
}
