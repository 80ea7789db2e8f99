# In an import block: id = file("region.yaml")
terraform import kalypso_config_schema.region "$(cat region.yaml)"
