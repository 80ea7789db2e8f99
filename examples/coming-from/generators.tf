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
    [for e in local.elements : yamlencode({
      apiVersion = "scheduler.kalypso.io/v1alpha1"
      kind       = "Workload"
      metadata   = { name = e.app }
      spec       = { deploymentTargets = [for region in e.regions : { name = region, environment = "prod", labels = { region = region } }] }
    })],
    # clusters: selector. A policy covers all cluster types.
    [for m in local.matrix : yamlencode({
      apiVersion = "scheduler.kalypso.io/v1alpha1"
      kind       = "SchedulingPolicy"
      metadata   = { name = "${m.app}-${m.region}" }
      spec = {
        deploymentTargetSelector = { labelSelector = { matchLabels = { workload = m.app, region = m.region } } }
        clusterTypeSelector      = { labelSelector = { matchLabels = { env = "prod", region = m.region } } }
      }
    })],
  )
}
