# From YAML to HCL, one object at a time: an object that is written here replaces
# the one of its kind and name in the control plane. The plan shows no change of
# the packages for it.

resource "kalypso_cluster_type" "store" {
  name              = "store"
  labels            = { region = "north", edge = "true" }
  reconciler        = "flux"
  namespace_service = "namespace"
  config_type       = "configmap"
}

locals {
  hcl   = [kalypso_cluster_type.store.manifest]
  moved = [for m in local.hcl : "${yamldecode(m).kind}/${yamldecode(m).metadata.name}"]

  fleet = concat(local.hcl, [
    for m in data.kalypso_control_plane.dev.manifests : m
    if !contains(local.moved, "${yamldecode(m).kind}/${yamldecode(m).metadata.name}")
  ])
}
