# Groups of similar clusters. Labels describe what the clusters can do.
locals {
  cluster_types = {
    drone = { reconciler = "flux", labels = { region = "east-us", restricted = "true", edge = "true" } }
    large = { reconciler = "flux", labels = { region = "west-us", size = "large" } }
    small = { reconciler = "argocd", labels = { region = "west-us", size = "small" } }
  }
}

resource "kalypso_cluster_type" "this" {
  for_each = local.cluster_types

  name              = each.key
  labels            = each.value.labels
  reconciler        = kalypso_template.this[each.value.reconciler].name
  namespace_service = kalypso_template.this["namespace"].name
  config_type       = kalypso_template.this["configmap"].name
}

# Go templates of the files that the provider writes for each package.
resource "kalypso_template" "this" {
  for_each = {
    flux      = "reconciler"
    argocd    = "reconciler"
    namespace = "namespace"
    configmap = "config"
  }

  name      = each.key
  type      = each.value
  manifests = [file("${path.module}/templates/${each.key}.yaml.tmpl")]
}
