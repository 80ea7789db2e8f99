resource "kalypso_commit_status" "dev" {
  repo    = "REPO"
  commit  = kalypso_gitops_commit.dev.merged_commit
  context = "kalypso/dev/tests"
  state   = "success"
}
