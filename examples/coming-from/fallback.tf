# Karmada: the shop runs on the first of these groups that has two cluster types for it. The
# other groups do not count.
locals {
  affinities = [
    { name = "france", labels = { country = "france" } },
    { name = "germany", labels = { country = "germany" } },
    { name = "america", labels = { region = "america" } },
  ]

  by_affinity = [for a in local.affinities : [
    yamlencode({
      apiVersion = "scheduler.kalypso.io/v1alpha1"
      kind       = "SchedulingPolicy"
      metadata   = { name = "shop", annotations = { "kalypso-gitops.io/placement" = a.name } }
      spec = {
        deploymentTargetSelector = { labelSelector = { matchLabels = { app = "shop" } } }
        clusterTypeSelector      = { labelSelector = {} }
      }
    }),
    yamlencode({
      apiVersion = "cluster.open-cluster-management.io/v1beta1"
      kind       = "Placement"
      metadata   = { name = a.name }
      spec = {
        numberOfClusters = 2
        predicates       = [{ requiredClusterSelector = { labelSelector = { matchLabels = a.labels } } }]
      }
    }),
  ]]

  # The plan knows the decisions for each group, so the plan can choose. If no group has two
  # cluster types, the plan fails.
  fallback = [
    for manifests in local.by_affinity : manifests
    if length(provider::kalypso::assignments(concat(local.fleet, manifests), "prod")) >= 2
  ][0]
}
