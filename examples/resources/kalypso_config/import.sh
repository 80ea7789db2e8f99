# In an import block: id = file("west_us.yaml")
terraform import kalypso_config.west_us "$(cat west_us.yaml)"
