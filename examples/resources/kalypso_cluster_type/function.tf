locals {
  drone = provider::kalypso::manifest({
    kind              = "ClusterType"
    name              = "drone"
    labels            = { region = "east-us", restricted = "true", edge = "true" }
    reconciler        = "arc-flux"
    namespace_service = "arc-namespace"
  })

  # This cluster type is drained: placements that do not tolerate the taint leave it.
  drained = provider::kalypso::manifest({
    kind              = "ClusterType"
    name              = "drone-2"
    reconciler        = "arc-flux"
    namespace_service = "arc-namespace"
    taints            = [{ key = "example.com/drained", effect = "NoSelect" }]
  })
}
