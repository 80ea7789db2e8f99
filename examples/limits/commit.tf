resource "kalypso_gitops_commit" "dev" {
  environment = "dev"
  manifests   = local.fleet
  repo        = coalesce(var.gitops_repo, "file://${abspath("${path.module}/gitops.git")}")
  branch      = "dev"

  limits {
    max_removed = "10%" # of the existing packages, rounded down
    max_changed = "50%" # or a number: "20"
    acknowledge = var.acknowledge

    # Packages that no plan and no destroy removes, even with acknowledge:
    # protect = ["store-*/*", "*/telemetry-*"]
  }
}
