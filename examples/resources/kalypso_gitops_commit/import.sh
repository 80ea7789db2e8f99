# The id is <repo>#<branch>:<path>, with :<environment> where several environments are in one place.
terraform import kalypso_gitops_commit.dev 'https://github.com/contoso/gitops#dev:.'
