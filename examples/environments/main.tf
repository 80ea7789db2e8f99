# All environments of one table: one module for each Environment object, and one file of rules.
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

locals {
  repositories = coalesce(var.repositories, "file://${abspath("${path.module}/repositories")}")

  objects      = [for text in split("\n---\n", file("${path.module}/fleet/environments.yaml")) : yamldecode(text)]
  environments = { for o in local.objects : o.metadata.name => o.spec.controlPlane }
  rules        = yamldecode(file("${path.module}/promotion.yaml"))
}

module "environment" {
  source   = "../../modules/environment"
  for_each = local.environments

  environment = each.key
  fleet       = { repo = replace(each.value.repo, "https://github.com/contoso/fleet", "${local.repositories}/fleet.git"), branch = each.value.branch }
  folders     = ["common", each.value.path]
  gitops      = { repo = "${local.repositories}/gitops.git" }
  after       = try(local.rules[each.key].after, {})
  window      = try(local.rules[each.key].window, [])
}

output "releases" {
  value = { for name, environment in module.environment : name => environment.release }

  # With a misspelled name in the rules, the environment would be the first one, and get each commit at once.
  precondition {
    condition     = length(setsubtract(keys(local.rules), keys(local.environments))) == 0
    error_message = "promotion.yaml has ${join(", ", setsubtract(keys(local.rules), keys(local.environments)))}, and fleet/environments.yaml does not."
  }
}
