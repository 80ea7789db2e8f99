terraform {
  required_version = ">= 1.8"
  required_providers {
    kalypso = {
      source  = "kalypso-gitops/kalypso"
      version = ">= 0.1"
    }
  }
}

variable "gitops_repo" {
  description = "URL of the GitOps repository. By default a bare repository in this folder: git init --bare gitops.git"
  type        = string
  default     = null
}

variable "acknowledge" {
  description = "The codes of changes beyond the limits that are meant."
  type        = set(string)
  default     = null
}

locals {
  # A folder of YAML, as in ../kalypso-yaml: cp -R ../kalypso-yaml/fleet .
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/**/*.yaml") : f => file("${path.module}/${f}")
  })
}
