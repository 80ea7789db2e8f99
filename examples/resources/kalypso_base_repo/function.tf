locals {
  main = provider::kalypso::manifest({
    kind   = "BaseRepo"
    name   = "main"
    repo   = "https://github.com/microsoft/kalypso-control-plane"
    branch = "main"
    path   = "."
    commit = "3a5f2b1c9d8e7f60123456789abcdef012345678"
  })
}
