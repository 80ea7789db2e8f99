resource "kalypso_gitops_commit" "dev" {
  environment = "dev"
  manifests   = local.fleet
  repo        = coalesce(var.gitops_repo, "file://${abspath("${path.module}/gitops.git")}")
  branch      = "dev"

  on_removal = "empty"  # the default: clusters uninstall what leaves the fleet
  on_destroy = "retain" # the default: clusters keep running everything after a destroy
  hold       = var.hold
}
