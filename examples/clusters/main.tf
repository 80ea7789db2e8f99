# The clusters that Terraform creates are the fleet: their tags make the cluster types. Everything
# else comes from a control plane, whose commits are promoted. Each environment is a workspace.
terraform {
  required_version = ">= 1.8"
  required_providers {
    kalypso = {
      source  = "kalypso-gitops/kalypso"
      version = ">= 0.1"
    }
  }
}

variable "repositories" {
  description = "The folder of the repositories, as a URL. By default the folder that setup.sh makes."
  type        = string
  default     = null
}

variable "clusters" {
  description = "The tags of each cluster, by environment. The tag type is the cluster type."
  type        = map(map(map(string)))
  default = {
    dev  = { test-1 = { type = "store", region = "north" } }
    prod = { store-1 = { type = "store", region = "north" }, store-2 = { type = "store", region = "north" } }
  }
}

# Instead of the cloud: azurerm_kubernetes_cluster with tags, or google_container_cluster with
# resource_labels. A plan knows these arguments before the cluster exists. Values that only the
# cloud knows, such as an address, would hide the packages from the plan.
resource "terraform_data" "cluster" {
  for_each = lookup(var.clusters, terraform.workspace, {})
  input    = { name = each.key, tags = each.value }
}

locals {
  # The clusters of one type have the same tags.
  types = { for c in terraform_data.cluster : c.input.tags.type => c.input.tags... }
  cluster_types = [for name, tags in local.types : yamlencode({
    apiVersion = "scheduler.kalypso.io/v1alpha1"
    kind       = "ClusterType"
    metadata   = { name = name, labels = { for key, value in tags[0] : key => value if key != "type" } }
    spec       = { reconciler = "flux-kustomization", namespaceService = "namespace", configType = "configmap" }
  })]
  repositories = coalesce(var.repositories, "file://${abspath("${path.module}/repositories")}")
}

module "environment" {
  source = "../../modules/environment"

  environment = terraform.workspace
  fleet       = { repo = "${local.repositories}/control-plane.git" }
  gitops      = { repo = "${local.repositories}/gitops.git" }
  after       = terraform.workspace == "prod" ? { dev = { checks_required = false, soak = "0s" } } : {}
  manifests   = local.cluster_types # not promoted: a cluster belongs to its environment
}

check "types" {
  assert {
    condition     = alltrue([for tags in values(local.types) : length(distinct(tags)) == 1])
    error_message = "Clusters of one type have different tags."
  }
}
