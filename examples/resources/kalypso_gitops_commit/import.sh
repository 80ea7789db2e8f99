# The id is <repo>#<branch>:<path>. Add :<environment> if several environments are at one place.
terraform import kalypso_gitops_commit.dev 'https://github.com/contoso/gitops#dev:.'
