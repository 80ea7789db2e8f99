# Takes over the content of the branch.
import {
  to = kalypso_gitops_commit.dev
  identity = {
    repo        = "https://github.com/contoso/gitops"
    branch      = "dev"
    path        = "."   # the default: the root of the repository
    environment = "dev" # needed if the branch and path have several environments
  }
}
