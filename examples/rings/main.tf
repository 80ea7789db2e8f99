# 9,000 equal stores in three rings: 5 % of them get a release first, then 25 %, then all.
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
  description = "URL of the GitOps repository. By default gitops.git in this folder."
  type        = string
  default     = null
}

variable "hold" {
  description = "Rings that must not change."
  type        = set(string)
  default     = []
}

locals {
  gitops = coalesce(var.gitops_repo, "file://${abspath("${path.module}/gitops.git")}")
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/*.yaml") : f => file("${path.module}/${f}")
  })

  # A changed fleet is a new release.
  release = "v1-${substr(sha256(jsonencode(local.fleet)), 0, 8)}"

  # Each ring is a branch. at_least is a number of reports that the stores of the ring surely send: less than 5 % of
  # all stores, and less than 20 %. A store that opens meanwhile only adds a report.
  rings = {
    prod-5   = { after = {} }
    prod-25  = { after = { prod-5 = { at_least = 400 } } }
    prod-100 = { after = { prod-25 = { at_least = 1700 } } }
  }
}

# What the stores say. With a forge, or with a module of ../reports, remove this folder.
module "reports" {
  source = "./reports"
}

# Has the release worked in the ring before?
data "kalypso_promotion" "ring" {
  for_each    = { for name, ring in local.rings : name => ring if length(ring.after) > 0 }
  environment = "prod"
  reports     = module.reports.reports
  target {
    repo   = local.gitops
    branch = each.key
  }
  dynamic "after" {
    for_each = each.value.after
    content {
      environment = "prod"
      repo        = local.gitops
      branch      = after.key
      check {
        context   = "kalypso/prod/store/*"
        at_least  = after.value.at_least
        min_green = "95%"
      }
    }
  }
}

# All rings are the environment prod, so that a store that changes its ring keeps its namespaces.
resource "kalypso_gitops_commit" "ring" {
  for_each    = local.rings
  environment = "prod"
  manifests   = local.fleet
  repo        = local.gitops
  branch      = each.key
  release     = { commit = local.release, sources = {} }
  hold        = contains(var.hold, each.key) || try(data.kalypso_promotion.ring[each.key].release.commit != local.release, false)
}

output "release" {
  value = local.release
}
