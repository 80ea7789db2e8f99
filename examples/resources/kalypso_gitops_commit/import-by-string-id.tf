# The id is <repo>#<branch>:<path>. Add :<environment> if several environments are at one place.
import {
  to = kalypso_gitops_commit.dev
  id = "https://github.com/contoso/gitops#dev:."
}
