# The id is <repo>#<branch>:<path>.
terraform import kalypso_gitops_commit.dev 'https://github.com/contoso/gitops#dev:.'
