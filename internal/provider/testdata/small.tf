
resource "kalypso_cluster_type" "small" {
  name              = "small"
  labels            = { size = "small", tier = "cloud" }
  reconciler        = kalypso_template.reconciler.name
  namespace_service = kalypso_template.namespace.name
  config_type       = kalypso_template.config.name
}
