# The same for clusters that Azure Arc manages, by their names: azurerm_arc_kubernetes_cluster.….id.
#
# Not run: CI has no Azure subscription and cannot install this provider.
variable "arc_cluster_ids" {
  type    = map(string)
  default = {}
}

resource "azurerm_arc_kubernetes_cluster_extension" "flux" {
  for_each       = var.arc_cluster_ids
  name           = "flux"
  cluster_id     = each.value
  extension_type = "microsoft.flux"

  identity {
    type = "SystemAssigned"
  }
}

resource "azurerm_arc_kubernetes_flux_configuration" "gitops" {
  for_each   = var.arc_cluster_ids
  name       = "gitops"
  cluster_id = each.value
  namespace  = "gitops"
  scope      = "cluster"

  git_repository {
    url                      = "https://github.com/contoso/gitops"
    reference_type           = "branch"
    reference_value          = var.environment
    https_user               = "git"
    https_key_base64         = base64encode(var.gitops_read_token)
    sync_interval_in_seconds = 60
  }

  # Azure's API waits by default. This resource has no attribute for it.
  kustomizations {
    name                       = var.cluster_type
    path                       = "./${var.cluster_type}"
    garbage_collection_enabled = true
    sync_interval_in_seconds   = 60
    retry_interval_in_seconds  = 60
    timeout_in_seconds         = 120
  }

  depends_on = [azurerm_arc_kubernetes_cluster_extension.flux]
}
