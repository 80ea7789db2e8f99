# The import id is the object's manifest itself: the text of one YAML document, as
# kubectl get placement two-of-each-region -o yaml gives it on a hub.
# In an import block it is: id = file("edge.yaml")
terraform import kalypso_placement.edge "$(cat edge.yaml)"
