# One environment in three waves: the pilots, then a quarter of the stores, then all others.
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

variable "release" {
  description = "The first part of the release's name. A new name brings earlier content as a new release."
  type        = string
  default     = "v1"
}

variable "hold" {
  description = "Waves that must not change."
  type        = set(string)
  default     = []
}

variable "at_once" {
  description = "Waves that get the release without waiting for the earlier ones."
  type        = set(string)
  default     = []
}

locals {
  gitops = coalesce(var.gitops_repo, "file://${abspath("${path.module}/gitops.git")}")
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/*.yaml") : f => file("${path.module}/${f}")
  })

  # A changed fleet is a new release. Under the old name, all waves would change together.
  release = "${var.release}-${substr(sha256(jsonencode(local.fleet)), 0, 8)}"
}

locals {
  assignments = values(provider::kalypso::assignments(local.fleet, "prod"))
  idle = toset([for f in provider::kalypso::findings(local.fleet, "prod") :
  trimprefix(f.subject, "ClusterType/") if f.code == "CLUSTER_TYPE_IDLE"])

  stores = [for a in local.assignments : a if try(a.decision_group.placement, null) == "stores"]
  canary = sort(distinct([for a in local.stores : a.cluster_type if a.decision_group.name == "canary"]))

  # The group after the pilots. Empty groups have no index: without pilots, it is 0.
  later   = [for a in local.stores : a if a.decision_group.name != "canary"]
  next    = try(min(local.later[*].decision_group.index...), null)
  quarter = sort(setsubtract([for a in local.later : a.cluster_type if tonumber(a.decision_group.index) == local.next], local.canary))

  # All other cluster types, also without assignments.
  all  = setunion(local.assignments[*].cluster_type, local.idle)
  rest = sort(setsubtract(local.all, concat(local.canary, local.quarter)))

  waves = {
    canary  = { cluster_types = local.canary, after = [] }
    quarter = { cluster_types = local.quarter, after = ["canary"] }
    rest    = { cluster_types = local.rest, after = ["canary", "quarter"] }
  }

  # The earlier waves, for each wave that has cluster types.
  after = { for name, wave in local.waves :
    name => [for earlier in wave.after : local.waves[earlier].cluster_types if length(local.waves[earlier].cluster_types) > 0] if length(wave.cluster_types) > 0
  }
}

# Which release has worked in the earlier waves? The first wave has none before it. A local
# repository has no commit statuses. With a forge, replace checks_required with:
#
#   dynamic "check" {
#     for_each = after.value
#     content {
#       context = "kalypso/prod/${check.value}/*"
#     }
#   }
data "kalypso_promotion" "wave" {
  for_each    = { for name, after in local.after : name => after if length(after) > 0 }
  environment = "prod"
  target {
    repo          = local.gitops
    branch        = "prod"
    cluster_types = local.waves[each.key].cluster_types
  }
  dynamic "after" {
    for_each = each.value
    content {
      environment     = "prod"
      repo            = local.gitops
      branch          = "prod"
      cluster_types   = after.value
      soak            = "0s"
      checks_required = false
    }
  }
}

locals {
  waits = { for name, p in data.kalypso_promotion.wave : name => p.release.commit != local.release && !contains(var.at_once, name) }
}

# A wave is on hold until its turn.
resource "kalypso_gitops_commit" "wave" {
  for_each      = local.waves
  environment   = "prod"
  manifests     = local.fleet
  repo          = local.gitops
  branch        = "prod"
  cluster_types = each.value.cluster_types
  release       = { commit = local.release, sources = {} }
  hold          = contains(var.hold, each.key) || lookup(local.waits, each.key, false)
}

output "release" {
  value = local.release
}

output "waves" {
  value = { for name, wave in local.waves : name => wave.cluster_types }
}
