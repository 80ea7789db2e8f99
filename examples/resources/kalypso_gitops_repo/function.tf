locals {
  dev = provider::kalypso::manifest({
    kind   = "GitOpsRepo"
    name   = "dev"
    repo   = "https://github.com/microsoft/kalypso-gitops"
    branch = "dev"
    path   = "."
  })
}
