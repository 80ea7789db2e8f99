# The import id is the object's manifest itself: the text of one YAML document.
# In an import block it is: id = file("dev.yaml")
terraform import kalypso_environment.dev "$(cat dev.yaml)"
