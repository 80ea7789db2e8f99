# The import id is the object's manifest itself: the text of one YAML document.
# In an import block it is: id = file("west_us.yaml")
terraform import kalypso_config.west_us "$(cat west_us.yaml)"
