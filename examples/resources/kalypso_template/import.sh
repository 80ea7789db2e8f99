# In an import block: id = file("namespace.yaml")
terraform import kalypso_template.namespace "$(cat namespace.yaml)"
