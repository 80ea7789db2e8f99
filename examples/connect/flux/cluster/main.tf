# Flux on one cluster, connected to the folder of its cluster type. The folders flux, eks and gke use this module.
#
# Not run: CI has no cluster and cannot install these providers.
terraform {
  required_version = ">= 1.8"
  required_providers {
    flux = {
      source  = "fluxcd/flux"
      version = ">= 1.8"
    }
    github = {
      source  = "integrations/github"
      version = ">= 6.6"
    }
    kubernetes = {
      source  = "hashicorp/kubernetes"
      version = ">= 2.36"
    }
  }
}

variable "environment" {
  type    = string
  default = "dev"
}

variable "cluster_type" {
  type    = string
  default = "large"
}

variable "cluster" {
  type    = string
  default = "large-1"
}

variable "platform_token" {
  description = "Writes the repository of the platform team, where Flux keeps its own files."
  type        = string
  sensitive   = true
}

variable "gitops_read_token" {
  description = "Reads the GitOps repository."
  type        = string
  sensitive   = true
}

variable "gitops_status_token" {
  description = "Writes commit statuses of the GitOps repository."
  type        = string
  sensitive   = true
}

locals {
  # Not the GitOps repository: its folders belong to kalypso_gitops_commit.
  platform = "https://github.com/contoso/clusters"
  folder   = "clusters/${var.cluster}"

  # The patches of the file bind workloads to their namespaces. Flux's own Kustomization then
  # needs a service account.
  kustomization = yamldecode(file("${path.module}/../../../bootstrap/flux-system/kustomization.yaml"))
}

resource "flux_bootstrap_git" "this" {
  path     = local.folder
  version  = "v2.9.0"
  interval = "1m0s"

  kustomization_override = yamlencode(merge(local.kustomization, {
    resources = ["gotk-components.yaml", "gotk-sync.yaml"]
    patches = concat(local.kustomization.patches, [{
      target = { kind = "Kustomization", name = "flux-system" }
      patch  = yamlencode([{ op = "add", path = "/spec/serviceAccountName", value = "kustomize-controller" }])
    }])
  }))
}

resource "kubernetes_secret_v1" "read" {
  metadata {
    name      = "gitops-read"
    namespace = "flux-system"
  }
  data       = { username = "git", password = var.gitops_read_token }
  depends_on = [flux_bootstrap_git.this]
}

resource "kubernetes_secret_v1" "status" {
  metadata {
    name      = "gitops-status"
    namespace = "flux-system"
  }
  data       = { token = var.gitops_status_token }
  depends_on = [flux_bootstrap_git.this]
}

# Flux applies this file: it reads ./large of the branch dev, waits for the workloads, and
# reports the status kalypso/dev/large/large-1 on each commit.
resource "github_repository_file" "gitops" {
  repository = "clusters"
  branch     = "main"
  file       = "${local.folder}/gitops.yaml"
  content = templatefile("${path.module}/../gitops.yaml.tmpl", {
    environment = var.environment, cluster_type = var.cluster_type, cluster = var.cluster
  })
  depends_on = [flux_bootstrap_git.this]
}
