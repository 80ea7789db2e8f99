data "kalypso_control_plane" "dev" {
  repo        = "REPO"
  branch      = "env-dev"
  environment = "dev"
}

resource "kalypso_gitops_commit" "dev" {
  environment = "dev"
  manifests   = data.kalypso_control_plane.dev.manifests
  release     = data.kalypso_control_plane.dev.read_release
  repo        = "REPO"
  branch      = "dev"
  REQUEST
}
