# The same for an EKS cluster, with a token of AWS instead of a kubeconfig. var.cluster is its name: aws_eks_cluster.this.name.
#
# Not run: CI has no AWS account and cannot install these providers.
# The names of attributes are those of the documentation of hashicorp/aws, read on 2026-11-29.
terraform {
  required_version = ">= 1.10" # ephemeral: the token is in no state
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.0"
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

data "aws_eks_cluster" "this" {
  name = var.cluster
}

ephemeral "aws_eks_cluster_auth" "this" {
  name = var.cluster
}

provider "flux" {
  kubernetes = {
    host                   = data.aws_eks_cluster.this.endpoint
    cluster_ca_certificate = base64decode(data.aws_eks_cluster.this.certificate_authority[0].data)
    token                  = ephemeral.aws_eks_cluster_auth.this.token
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
  host                   = data.aws_eks_cluster.this.endpoint
  cluster_ca_certificate = base64decode(data.aws_eks_cluster.this.certificate_authority[0].data)
  token                  = ephemeral.aws_eks_cluster_auth.this.token
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
