# The import id is the object's manifest itself: the text of one YAML document. On a hub,
# kubectl get placement two-of-each-region -o yaml prints it.
# In an import block it is: id = file("edge.yaml")
terraform import kalypso_placement.edge "$(cat edge.yaml)"
