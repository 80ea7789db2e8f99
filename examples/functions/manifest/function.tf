locals {
  regions = {
    north = { edge = true }
    west  = { edge = false }
  }

  # The same manifests as with for_each over kalypso_cluster_type, without the resources.
  cluster_types = [
    for region, r in local.regions : provider::kalypso::manifest({
      kind              = "ClusterType"
      name              = "store-${region}"
      labels            = { region = region, edge = r.edge }
      reconciler        = "flux"
      namespace_service = "namespace"
    })
  ]

  fleet = concat(
    local.cluster_types,
    provider::kalypso::files({ for f in fileset(path.module, "fleet/**/*.yaml") : f => file("${path.module}/${f}") }),
  )
}

output "cluster_types" {
  value = local.cluster_types
}

output "checkout_runs_on" {
  value = [for a in provider::kalypso::assignments(local.fleet, "dev") : a.cluster_type if a.deployment_target == "shop-checkout"]
}
