# Karmada: the shop runs on the first of these groups that has two cluster types for it. The
# other groups do not count.
locals {
  affinities = [
    { name = "france", group = "europe.france" },
    { name = "germany", group = "europe.germany" },
    { name = "america", group = "america" },
  ]

  by_affinity = [for a in local.affinities : [
    provider::kalypso::manifest({
      kind                       = "SchedulingPolicy"
      name                       = "shop"
      deployment_target_selector = { match_labels = { app = "shop" } }
      cluster_type_selector      = { match_all = true }
      placement                  = a.name
    }),
    provider::kalypso::manifest({
      kind               = "Placement"
      name               = a.name
      number_of_clusters = 2
      predicates = [{
        required_cluster_selector = {
          cel_selector = { cel_expressions = ["(managedCluster.metadata.?labels[?'group'].orValue('') + '.').startsWith('${a.group}.')"] }
        }
      }]
    }),
  ]]

  # The plan knows the decisions for each group, so the plan can choose. If no group has two
  # cluster types, the plan fails.
  fallback = [
    for manifests in local.by_affinity : manifests
    if length(provider::kalypso::assignments(concat(local.fleet, manifests), "prod")) >= 2
  ][0]
}
