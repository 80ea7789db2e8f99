# Installs Flux on the cluster large-1 of the cluster type large, and connects it to the branch
# dev of the GitOps repository.
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

variable "kubeconfig" {
  description = "The path of the cluster's kubeconfig."
  type        = string
}

provider "flux" {
  kubernetes = {
    config_path = var.kubeconfig
  }
  git = {
    url  = "https://github.com/contoso/clusters"
    http = { username = "git", password = var.platform_token }
  }
}

provider "github" {
  owner = "contoso"
  token = var.platform_token
}

provider "kubernetes" {
  config_path = var.kubeconfig
}

module "flux" {
  source = "../flux/cluster"

  environment         = var.environment
  cluster_type        = var.cluster_type
  cluster             = var.cluster
  platform_token      = var.platform_token
  gitops_read_token   = var.gitops_read_token
  gitops_status_token = var.gitops_status_token
}
