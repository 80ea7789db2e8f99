# Takes over the content of the branch.
import {
  to = kalypso_gitops_commit.dev
  identity = {
    repo        = "https://github.com/contoso/gitops"
    branch      = "dev"
    path        = "."   # the root where it is left out
    environment = "dev" # needed where several environments are in one place
  }
}
