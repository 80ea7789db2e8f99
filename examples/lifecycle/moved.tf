# kalypso_gitops_commit.dev had another name before. Nothing is written for that.
moved {
  from = kalypso_gitops_commit.development
  to   = kalypso_gitops_commit.dev
}
