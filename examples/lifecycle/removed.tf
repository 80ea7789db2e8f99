# Another configuration looks after this environment now. The branch stays as it is.
removed {
  from = kalypso_gitops_commit.stage

  lifecycle {
    destroy = false
  }
}
