# The id is <repo>#<branch>:<path>. Add :<environment> if this path has several environments.
import {
  to = kalypso_gitops_commit.dev
  id = "https://github.com/contoso/gitops#dev:."
}
