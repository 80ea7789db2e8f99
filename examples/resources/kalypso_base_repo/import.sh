# The import id is the object's manifest itself: the text of one YAML document.
# In an import block it is: id = file("main.yaml")
terraform import kalypso_base_repo.main "$(cat main.yaml)"
