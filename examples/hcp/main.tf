# One environment of a fleet in HCP Terraform. Each environment is a workspace with the tag
# fleet: workspaces/main.tf creates them.
terraform {
  required_version = ">= 1.8"
  cloud {
    organization = "contoso"
    workspaces {
      tags = ["fleet"]
    }
  }
  required_providers {
    kalypso = {
      source  = "kalypso-gitops/kalypso"
      version = ">= 0.1"
    }
  }
}

variable "environment" {
  description = "The environment of this workspace."
  type        = string
}

# Tokens come from the variable set: KALYPSO_GIT_PASSWORD in the environment of the run.
resource "kalypso_gitops_commit" "this" {
  environment = var.environment
  manifests = provider::kalypso::files({
    for f in fileset(path.module, "fleet/**/*.yaml") : f => file("${path.module}/${f}")
  })
  repo   = "https://github.com/contoso/gitops"
  branch = var.environment
}

# A health assessment evaluates checks, too, and notifies the workspace's channels.
check "in_sync" {
  assert {
    condition     = kalypso_gitops_commit.this.status == "in_sync"
    error_message = "The branch ${var.environment} has the status ${kalypso_gitops_commit.this.status}."
  }
}
