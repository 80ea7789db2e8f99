# In an import block: id = file("dev.yaml")
terraform import kalypso_gitops_repo.dev "$(cat dev.yaml)"
