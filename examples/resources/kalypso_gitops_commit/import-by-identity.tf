# The next apply takes over the folders that the configuration names.
import {
  to = kalypso_gitops_commit.dev
  identity = {
    repo        = "https://github.com/contoso/gitops"
    branch      = "dev"
    path        = "."   # the root, which is the default
    environment = "dev" # required if several environments are at one place
  }
}
