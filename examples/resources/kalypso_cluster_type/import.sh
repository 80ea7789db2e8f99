# The import id is the object's manifest itself: the text of one YAML document.
# In an import block it is: id = file("drone.yaml")
terraform import kalypso_cluster_type.drone "$(cat drone.yaml)"
