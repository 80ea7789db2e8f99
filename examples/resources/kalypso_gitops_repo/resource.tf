resource "kalypso_gitops_repo" "dev" {
  name   = "dev"
  repo   = "https://github.com/microsoft/kalypso-gitops"
  branch = "dev"
  path   = "."
}
