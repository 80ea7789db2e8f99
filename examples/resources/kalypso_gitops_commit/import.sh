# The id is <repo>#<branch>:<path>. Add :<environment> if this path has several environments.
terraform import kalypso_gitops_commit.dev 'https://github.com/contoso/gitops#dev:.'
