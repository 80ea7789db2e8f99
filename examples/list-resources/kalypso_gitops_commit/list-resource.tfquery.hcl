# terraform query -generate-config-out=imported.tf
list "kalypso_gitops_commit" "all" {
  provider = kalypso
  config {
    repo = "https://github.com/contoso/gitops"
  }
}
