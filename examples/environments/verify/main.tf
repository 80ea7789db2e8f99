# Verifies a request in the GitOps repository, by the rules that the environments have: see ../../../modules/verify.
terraform {
  required_version = ">= 1.8"
  required_providers {
    kalypso = {
      source  = "kalypso-gitops/kalypso"
      version = ">= 0.1"
    }
  }
}

variable "environment" {
  type = string
}

variable "request" {
  description = "A clone of the GitOps repository, with the commit of the request checked out."
  type        = string
}

variable "repositories" {
  description = "The folder of the repositories, as a URL."
  type        = string
}

locals {
  objects     = [for text in split("\n---\n", file("${path.module}/../fleet/environments.yaml")) : yamldecode(text)]
  environment = one([for o in local.objects : o.spec.controlPlane if o.metadata.name == var.environment])
  rules       = yamldecode(file("${path.module}/../promotion.yaml"))[var.environment]
}

module "verify" {
  source = "../../../modules/verify"

  environment = var.environment
  request     = var.request
  fleet       = { repo = replace(local.environment.repo, "https://github.com/contoso/fleet", "${var.repositories}/fleet.git"), branch = local.environment.branch }
  folders     = ["common", local.environment.path]
  gitops      = { repo = "${var.repositories}/gitops.git" }
  after       = local.rules.after
  window      = try(local.rules.window, [])
}
