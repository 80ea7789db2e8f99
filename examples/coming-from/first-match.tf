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
    [provider::kalypso::manifest({
      kind = "Workload"
      name = "guestbook"
      deployment_target = [for t in local.targets : {
        name        = t.name
        environment = "prod"
        labels      = { variant = t.name }
        manifests   = { repo = "https://github.com/contoso/guestbook", branch = "main", path = t.path }
      }]
    })],
    [for t in local.targets : provider::kalypso::manifest({
      kind                       = "SchedulingPolicy"
      name                       = "guestbook-${t.name}"
      deployment_target_selector = { match_labels = { workload = "guestbook", variant = t.name } }
      cluster_type_selector      = { match_all = true }
      placement                  = "guestbook-${t.name}"
    })],
    # A cluster type has to meet the condition of this target, and no condition of an earlier
    # target.
    [for i, t in local.targets : provider::kalypso::manifest({
      kind = "Placement"
      name = "guestbook-${t.name}"
      predicates = [{
        required_cluster_selector = {
          cel_selector = { cel_expressions = concat([t.when], [for earlier in slice(local.targets, 0, i) : "!(${earlier.when})"]) }
        }
      }]
    })],
  )
}
