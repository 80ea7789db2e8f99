# Argo CD's ApplicationSets: generators are expressions.
locals {
  # list: elements. For a git generator with files, use fileset() and yamldecode(file()).
  elements = [
    { app = "catalog", regions = ["europe", "america"] },
    { app = "invoices", regions = ["europe"] },
  ]

  # matrix: each element with each of its regions.
  matrix = flatten([for e in local.elements : [for region in e.regions : { app = e.app, region = region }]])

  generators = concat(
    [for e in local.elements : provider::kalypso::manifest({
      kind              = "Workload"
      name              = e.app
      deployment_target = [for region in e.regions : { name = region, environment = "prod", labels = { region = region } }]
    })],
    # clusters: selector. A policy covers all cluster types.
    [for m in local.matrix : provider::kalypso::manifest({
      kind                       = "SchedulingPolicy"
      name                       = "${m.app}-${m.region}"
      deployment_target_selector = { match_labels = { workload = m.app, region = m.region } }
      cluster_type_selector      = { match_labels = { env = "prod", region = m.region } }
    })],
  )
}
