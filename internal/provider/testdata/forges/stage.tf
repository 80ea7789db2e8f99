data "kalypso_promotion" "stage" {
  environment = "stage"
  target {
    repo   = "REPO"
    branch = "stage"
  }
  after {
    environment = "dev"
    repo        = "REPO"
    branch      = "dev"
    check { context = "kalypso/dev/*" }
  }
}

data "kalypso_control_plane" "stage" {
  repo        = "REPO"
  branch      = "env-stage"
  environment = "stage"
  release     = data.kalypso_promotion.stage.release
}

resource "kalypso_gitops_commit" "stage" {
  environment = "stage"
  manifests   = data.kalypso_control_plane.stage.manifests
  release     = data.kalypso_control_plane.stage.read_release
  repo        = "REPO"
  branch      = "stage"
  pull_request {
    auto_merge     = "squash"
    wait_for_merge = true
  }
}
