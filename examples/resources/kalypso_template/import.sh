# The import id is the object's manifest itself: the text of one YAML document.
# In an import block it is: id = file("namespace.yaml")
terraform import kalypso_template.namespace "$(cat namespace.yaml)"
