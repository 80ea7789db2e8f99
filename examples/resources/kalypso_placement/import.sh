# On a hub, kubectl get placement two-of-each-region -o yaml prints the manifest.
# In an import block: id = file("edge.yaml")
terraform import kalypso_placement.edge "$(cat edge.yaml)"
