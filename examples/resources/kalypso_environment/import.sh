# In an import block: id = file("dev.yaml")
terraform import kalypso_environment.dev "$(cat dev.yaml)"
