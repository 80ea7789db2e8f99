# The import id is the object's manifest itself: the text of one YAML document.
# In an import block it is: id = file("hello.yaml")
terraform import kalypso_workload.hello "$(cat hello.yaml)"
