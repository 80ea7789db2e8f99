# The import id is the object's manifest itself: the text of one YAML document.
# In an import block it is: id = file("functional.yaml")
terraform import kalypso_scheduling_policy.functional "$(cat functional.yaml)"
