# Connects an AKS cluster of the cluster type large to the branch dev of the GitOps repository.
# arc.tf does the same for a cluster that Azure Arc manages.
#
# Not run: CI has no Azure subscription and cannot install this provider.
terraform {
  required_version = ">= 1.8"
  required_providers {
    azurerm = {
      source  = "hashicorp/azurerm"
      version = ">= 4.0"
    }
  }
}

provider "azurerm" {
  features {}
}

variable "cluster_id" {
  description = "The id of the AKS cluster: azurerm_kubernetes_cluster.this.id."
  type        = string
}

variable "environment" {
  type    = string
  default = "dev"
}

variable "cluster_type" {
  type    = string
  default = "large"
}

variable "gitops_read_token" {
  description = "Reads the GitOps repository."
  type        = string
  sensitive   = true
}

# The extension binds workloads to their namespaces by default (multiTenancy.enforce), so the
# packages need the serviceAccountName of the guide's template.
resource "azurerm_kubernetes_cluster_extension" "flux" {
  name           = "flux"
  cluster_id     = var.cluster_id
  extension_type = "microsoft.flux"
}

resource "azurerm_kubernetes_flux_configuration" "gitops" {
  name       = "gitops"
  cluster_id = var.cluster_id
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

  # On the cluster, this is the Kustomization gitops-large in the namespace gitops. An Alert for
  # the Kustomization reports commit statuses: see examples/bootstrap/flux.yaml.
  kustomizations {
    name                       = var.cluster_type
    path                       = "./${var.cluster_type}"
    wait                       = true # ready, not only created
    garbage_collection_enabled = true # uninstalls objects that leave the folder
    sync_interval_in_seconds   = 60
    retry_interval_in_seconds  = 60
    timeout_in_seconds         = 120
  }

  depends_on = [azurerm_kubernetes_cluster_extension.flux]
}
