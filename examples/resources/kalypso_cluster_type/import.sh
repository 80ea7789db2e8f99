# In an import block: id = file("drone.yaml")
terraform import kalypso_cluster_type.drone "$(cat drone.yaml)"
