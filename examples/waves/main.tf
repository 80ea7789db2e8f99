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

locals {
  gitops = coalesce(var.gitops_repo, "file://${abspath("${path.module}/gitops.git")}")
  fleet  = [for f in fileset("${path.module}/fleet", "*.yaml") : file("${path.module}/fleet/${f}")]
}

# Where everything goes, and in which decision group of the placement each cluster type is.
data "kalypso_assignments" "prod" {
  environment = "prod"
  manifests   = local.fleet
}

locals {
  assignments = values(data.kalypso_assignments.prod.assignments)
  canary      = sort(distinct([for a in local.assignments : a.cluster_type if try(a.decision_group.name, null) == "canary"]))
  quarter     = sort(distinct([for a in local.assignments : a.cluster_type if try(a.decision_group.index, null) == 1]))

  # All others, also those that nothing is assigned to: what is in no list is left as it
  # stands, for good.
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
#
#   checks = [for name in local.waves[wave].cluster_types : { context = "kalypso/prod/${name}/*" }]
#   soak   = "4h"
data "kalypso_promotion" "wave" {
  for_each    = local.waves
  environment = "prod"
  candidate   = var.release
  target      = { repo = local.gitops, branch = "prod", cluster_types = each.value.cluster_types }
  after = {
    for wave in each.value.after : wave => {
      environment   = "prod"
      repo          = local.gitops
      branch        = "prod"
      cluster_types = local.waves[wave].cluster_types
      checks        = []
      soak          = "0s"
    }
  }
}

# A wave stays as it is until it is its turn.
resource "kalypso_gitops_commit" "wave" {
  for_each        = local.waves
  environment     = "prod"
  manifests       = local.fleet
  repo            = local.gitops
  branch          = "prod"
  cluster_types   = each.value.cluster_types
  promoted_commit = var.release
  hold            = contains(var.hold, each.key) || !data.kalypso_promotion.wave[each.key].verified
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
