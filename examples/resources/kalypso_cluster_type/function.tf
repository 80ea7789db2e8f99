locals {
  drone = provider::kalypso::manifest({
    kind              = "ClusterType"
    name              = "drone"
    labels            = { region = "east-us", restricted = "true", edge = "true" }
    reconciler        = "arc-flux"
    namespace_service = "arc-namespace"
  })
}
