locals {
  drone = provider::kalypso::manifest({
    kind              = "ClusterType"
    name              = "drone"
    labels            = { region = "east-us", restricted = "true", edge = "true" }
    reconciler        = "arc-flux"
    namespace_service = "arc-namespace"
  })

  # This cluster type is drained: only placements that tolerate the taint choose it.
  drained = provider::kalypso::manifest({
    kind              = "ClusterType"
    name              = "drone-2"
    reconciler        = "arc-flux"
    namespace_service = "arc-namespace"
    taints            = [{ key = "example.com/drained", effect = "NoSelect" }]
  })
}
