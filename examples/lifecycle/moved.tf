# The resource had another name before.
moved {
  from = kalypso_gitops_commit.development
  to   = kalypso_gitops_commit.dev
}
