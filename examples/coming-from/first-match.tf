# Rancher Fleet: the first of these targets that matches a cluster decides its variant.
locals {
  targets = [
    { name = "lab", path = "./test", when = "managedCluster.metadata.?labels[?'env'].orValue('') == 'test'" },
    { name = "europe", path = "./eu", when = "managedCluster.metadata.?labels[?'region'].orValue('') == 'europe'" },
    { name = "gpu", path = "./gpu", when = "managedCluster.metadata.?labels[?'hardware'].orValue('') == 'gpu'" },
    { name = "rest", path = "./base", when = "true" },
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
    [for t in local.targets : yamlencode({
      apiVersion = "scheduler.kalypso.io/v1alpha1"
      kind       = "SchedulingPolicy"
      metadata   = { name = "guestbook-${t.name}", annotations = { "kalypso-gitops.io/placement" = "guestbook-${t.name}" } }
      spec = {
        deploymentTargetSelector = { labelSelector = { matchLabels = { workload = "guestbook", variant = t.name } } }
        clusterTypeSelector      = { labelSelector = {} }
      }
    })],
    # A cluster type has to meet the condition of this target, and no condition of an earlier
    # target.
    [for i, t in local.targets : yamlencode({
      apiVersion = "cluster.open-cluster-management.io/v1beta1"
      kind       = "Placement"
      metadata   = { name = "guestbook-${t.name}" }
      spec = {
        predicates = [{
          requiredClusterSelector = {
            celSelector = { celExpressions = concat([t.when], [for earlier in slice(local.targets, 0, i) : "!(${earlier.when})"]) }
          }
        }]
      }
    })],
  )
}
