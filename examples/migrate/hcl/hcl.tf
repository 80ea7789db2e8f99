# An object in HCL replaces the object with the same kind and name in the control plane.
# main.tf then needs manifests = local.fleet.
resource "kalypso_cluster_type" "store" {
  name              = "store"
  labels            = { region = "north", edge = "true" }
  reconciler        = "arc-flux"
  namespace_service = "default"
  config_type       = "configmap"
}

resource "kalypso_workload" "shop" {
  name      = "shop"
  workspace = "retail"

  dynamic "deployment_target" {
    for_each = ["dev", "stage"]
    content {
      name        = "checkout"
      environment = deployment_target.value
      labels      = { tier = "checkout" }
      manifests   = { repo = "https://github.com/contoso/shop-manifests", branch = deployment_target.value, path = "./checkout" }
    }
  }
}

locals {
  hcl   = [kalypso_cluster_type.store.manifest, kalypso_workload.shop.manifest]
  moved = [for m in local.hcl : "${yamldecode(m).kind}/${yamldecode(m).metadata.name}"]

  fleet = concat(local.hcl, [
    for m in data.kalypso_control_plane.dev.manifests : m
    if !contains(local.moved, "${yamldecode(m).kind}/${yamldecode(m).metadata.name}")
  ])
}
