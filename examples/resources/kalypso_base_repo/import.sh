# In an import block: id = file("main.yaml")
terraform import kalypso_base_repo.main "$(cat main.yaml)"
