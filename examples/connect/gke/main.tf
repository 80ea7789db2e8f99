# The same for a GKE cluster, with a token of Google Cloud instead of a kubeconfig. var.cluster is its name:
# google_container_cluster.this.name. config-sync.tf connects it without Flux.
#
# Not run: CI has no Google Cloud project and cannot install these providers.
# The names of attributes are those of the documentation of hashicorp/google, read on 2026-11-29.
terraform {
  required_version = ">= 1.10" # ephemeral: the token is in no state
  required_providers {
    google = {
      source  = "hashicorp/google"
      version = ">= 7.0"
    }
    google-beta = {
      source  = "hashicorp/google-beta"
      version = ">= 7.0"
    }
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

variable "location" {
  description = "The region or zone of the cluster: google_container_cluster.this.location."
  type        = string
}

data "google_container_cluster" "this" {
  name     = var.cluster
  location = var.location
}

ephemeral "google_client_config" "this" {}

provider "flux" {
  kubernetes = {
    host                   = "https://${data.google_container_cluster.this.endpoint}"
    cluster_ca_certificate = base64decode(data.google_container_cluster.this.master_auth[0].cluster_ca_certificate)
    token                  = ephemeral.google_client_config.this.access_token
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
  host                   = "https://${data.google_container_cluster.this.endpoint}"
  cluster_ca_certificate = base64decode(data.google_container_cluster.this.master_auth[0].cluster_ca_certificate)
  token                  = ephemeral.google_client_config.this.access_token
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
