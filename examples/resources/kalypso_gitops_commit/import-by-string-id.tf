# The id is <repo>#<branch>:<path>, with :<environment> where several environments are in one place.
import {
  to = kalypso_gitops_commit.dev
  id = "https://github.com/contoso/gitops#dev:."
}
