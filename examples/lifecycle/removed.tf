# Another configuration manages this environment now.
removed {
  from = kalypso_gitops_commit.stage

  lifecycle {
    destroy = false
  }
}
