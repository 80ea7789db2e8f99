# One environment in three waves, in one branch: a release goes to the pilots, then to a
# quarter of the stores, then to all, each after it has worked in those before.
#
#   git init --bare gitops.git && terraform init
#   terraform apply    # the canary
#   terraform apply    # the quarter, once the canary has worked
#   terraform apply    # the rest
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

variable "release" {
  description = "The id of what is rolled out: the commit of this configuration, as TF_VAR_release=$GITHUB_SHA."
  type        = string
  default     = "v1"
}

variable "hold" {
  description = "Waves that stay as they are, whatever has worked before: the brake."
  type        = set(string)
  default     = []
}

variable "pin" {
  description = "The release that a wave has to be at, whatever was verified: to take a wave back to a release that it has left."
  type        = map(string)
  default     = {}
}

locals {
  gitops = coalesce(var.gitops_repo, "file://${abspath("${path.module}/gitops.git")}")
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/*.yaml") : f => file("${path.module}/${f}")
  })
}

# Where everything goes, and in which decision group of the placement each cluster type is.
data "kalypso_assignments" "prod" {
  environment = "prod"
  manifests   = local.fleet
}

locals {
  assignments = values(data.kalypso_assignments.prod.assignments)

  # Other placements have groups of their own.
  stores = [for a in local.assignments : a if try(a.decision_group.placement, null) == "stores"]
  canary = sort(distinct([for a in local.stores : a.cluster_type if a.decision_group.name == "canary"]))

  # The first group after the pilots. It has index 1 only as long as there are pilots: groups
  # that nobody is in are not counted.
  later   = [for a in local.stores : a if a.decision_group.name != "canary"]
  next    = try(min(local.later[*].decision_group.index...), null)
  quarter = sort(setsubtract([for a in local.later : a.cluster_type if a.decision_group.index == local.next], local.canary))

  # All others, also those without assignments: a cluster type that is in no list never
  # changes again.
  all  = setunion(local.assignments[*].cluster_type, data.kalypso_assignments.prod.idle_cluster_types)
  rest = sort(setsubtract(local.all, concat(local.canary, local.quarter)))

  waves = {
    canary  = { cluster_types = local.canary, after = [] }
    quarter = { cluster_types = local.quarter, after = ["canary"] }
    rest    = { cluster_types = local.rest, after = ["canary", "quarter"] }
  }
}

# Whether the release has worked in the waves before. A local repository has no reports that
# could say so: with no checks it is enough that the release is there. On a forge, with
# clusters that report:
# in the place of no_checks:
#
#   dynamic "checks" {
#     for_each = local.waves[after.value].cluster_types
#     content {
#       context = "kalypso/prod/${checks.value}/*"
#     }
#   }
data "kalypso_promotion" "wave" {
  for_each    = { for name, wave in local.waves : name => wave if length(wave.cluster_types) > 0 }
  environment = "prod"
  candidate   = var.release
  pin         = lookup(var.pin, each.key, null)
  target {
    repo          = local.gitops
    branch        = "prod"
    cluster_types = each.value.cluster_types
  }
  dynamic "after" {
    # Nobody has to be waited for in a wave without cluster types.
    for_each = [for wave in each.value.after : wave if length(local.waves[wave].cluster_types) > 0]
    content {
      environment   = "prod"
      repo          = local.gitops
      branch        = "prod"
      cluster_types = local.waves[after.value].cluster_types
      soak          = "0s"
      no_checks     = true
    }
  }
}

# A wave stays as it is until it is its turn. One that has no cluster type left has nothing to
# wait for.
resource "kalypso_gitops_commit" "wave" {
  for_each        = local.waves
  environment     = "prod"
  manifests       = local.fleet
  repo            = local.gitops
  branch          = "prod"
  cluster_types   = each.value.cluster_types
  promoted_commit = var.release
  hold            = contains(var.hold, each.key) || !try(data.kalypso_promotion.wave[each.key].verified, true)
}

# As long as a wave waits, each plan says for what, as a warning.
check "waves" {
  assert {
    condition     = alltrue([for p in data.kalypso_promotion.wave : p.verified])
    error_message = join("\n", [for name, p in data.kalypso_promotion.wave : "${name}: ${p.reason}" if !p.verified])
  }
}

output "waves" {
  value = { for name, wave in local.waves : name => wave.cluster_types }
}
