# The import id is the object's manifest itself: the text of one YAML document.
# In an import block it is: id = file("region.yaml")
terraform import kalypso_config_schema.region "$(cat region.yaml)"
