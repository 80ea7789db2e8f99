terraform {
  required_version = ">= 1.8"
  required_providers {
    kalypso = {
      source  = "kalypso-gitops/kalypso"
      version = ">= 0.1"
    }
  }
}

variable "gitops_token" {
  description = "A token that may write to the GitOps repositories."
  type        = string
  sensitive   = true
}

# All settings are optional. For a single credential, the environment variables
# KALYPSO_GIT_USERNAME and KALYPSO_GIT_PASSWORD are enough: see below.
provider "kalypso" {
  git {
    url_prefix = "https://github.com/contoso/"
    username   = "git"
    password   = var.gitops_token
  }

  commit_author {
    name  = "Platform team"
    email = "platform@contoso.com"
  }
}
