# Rancher Fleet: the first of these targets that matches a cluster decides its variant.
locals {
  targets = [
    { name = "lab", path = "./test", when = [{ key = "env", value = "test" }] },
    { name = "europe", path = "./eu", when = [{ key = "region", value = "europe" }] },
    { name = "gpu", path = "./gpu", when = [{ key = "hardware", value = "gpu" }] },
    { name = "rest", path = "./base", when = [] },
  ]

  first_match = concat(
    # Each variant is a deployment target with its own path. It could also have its own branch.
    [yamlencode({
      apiVersion = "scheduler.kalypso.io/v1alpha1"
      kind       = "Workload"
      metadata   = { name = "guestbook" }
      spec = {
        deploymentTargets = [for t in local.targets : {
          name        = t.name
          environment = "prod"
          labels      = { variant = t.name }
          manifests   = { repo = "https://github.com/contoso/guestbook", branch = "main", path = t.path }
        }]
      }
    })],
    # The labels of a cluster type have to meet the condition of this target, and no condition
    # of an earlier target. NotIn also holds for a missing label.
    [for i, t in local.targets : yamlencode({
      apiVersion = "scheduler.kalypso.io/v1alpha1"
      kind       = "SchedulingPolicy"
      metadata   = { name = "guestbook-${t.name}", annotations = { "kalypso-gitops.io/placement" = "guestbook" } }
      spec = {
        deploymentTargetSelector = { labelSelector = { matchLabels = { workload = "guestbook", variant = t.name } } }
        clusterTypeSelector = {
          labelSelector = {
            matchExpressions = concat(
              [for label in t.when : { key = label.key, operator = "In", values = [label.value] }],
              [for label in flatten(slice(local.targets, 0, i)[*].when) : { key = label.key, operator = "NotIn", values = [label.value] }],
            )
          }
        }
      }
    })],
    # A placement without conditions only leaves out cluster types with taints.
    [yamlencode({
      apiVersion = "cluster.open-cluster-management.io/v1beta1"
      kind       = "Placement"
      metadata   = { name = "guestbook" }
      spec       = {}
    })],
  )
}
