resource "kalypso_gitops_commit" "dev" {
  environment = "dev"
  manifests   = local.fleet
  repo        = coalesce(var.gitops_repo, "file://${abspath("${path.module}/gitops.git")}")
  branch      = "dev"

  files = {
    "FLEET.md" = templatefile("${path.module}/FLEET.md.tftpl", {
      assignments = provider::kalypso::assignments(local.fleet, "dev")
    })
    # helm template metrics-server metrics-server/metrics-server > charts/metrics-server.yaml
    "charts/metrics-server.yaml" = file("${path.module}/charts/metrics-server.yaml")
  }
}
