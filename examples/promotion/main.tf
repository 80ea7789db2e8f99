# Three environments of one control plane, each a workspace of this configuration.
# dev gets what is merged to main, stage what works in dev, and prod what works in
# stage. setup.sh makes the repositories in a folder.
#
#   bash setup.sh && terraform init
#   terraform workspace new dev && terraform apply
#   terraform workspace new stage && terraform apply
#   terraform workspace new prod && terraform apply
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
  description = "Where the repositories are. By default the folder repositories, as setup.sh makes it."
  type        = string
  default     = null
}

variable "windows" {
  description = "When prod gets something new. Always where it is not set."
  type = list(object({
    days     = list(string)
    from     = string
    to       = string
    timezone = string
  }))
  default = []
}

variable "pin" {
  description = "Exactly this commit of main, also an older one: the whole id."
  type        = string
  default     = null
}

variable "hold" {
  description = "Leaves the environment at the commit that it is at."
  type        = bool
  default     = false
}

locals {
  repositories = coalesce(var.repositories, "file://${abspath("${path.module}/repositories")}")
  source       = "${local.repositories}/control-plane.git"
  gitops       = "${local.repositories}/gitops.git"

  # The environment where a commit has to have worked before.
  before = { dev = [], stage = ["dev"], prod = ["stage"] }
}

# Which commit of main this environment should be at.
data "kalypso_promotion" "this" {
  environment = terraform.workspace
  pin         = var.pin
  hold        = var.hold
  source {
    repo   = local.source
    branch = "main"
  }
  target {
    repo   = local.gitops
    branch = terraform.workspace
  }

  # A local repository has no reports that could say whether a commit has worked: it is enough
  # that the commit is there. On a forge, with clusters that report, write in the place of
  # no_checks: checks { context = "kalypso/${after.value}/*" }, with at_least clusters.
  dynamic "after" {
    for_each = lookup(local.before, terraform.workspace, [])
    content {
      environment = after.value
      repo        = local.gitops
      branch      = after.value
      soak        = "0s"
      no_checks   = true
    }
  }
  dynamic "windows" {
    for_each = terraform.workspace == "prod" ? var.windows : []
    content {
      days     = windows.value.days
      from     = windows.value.from
      to       = windows.value.to
      timezone = windows.value.timezone
    }
  }

  lifecycle {
    precondition {
      condition     = contains(keys(local.before), terraform.workspace)
      error_message = "There is no environment ${terraform.workspace}. Choose a workspace that is one: terraform workspace select -or-create dev"
    }
  }
}

# The environment's branch of the control plane, and main at that commit.
data "kalypso_control_plane" "this" {
  repo         = local.source
  branch       = terraform.workspace
  environment  = terraform.workspace
  base_commits = { main = data.kalypso_promotion.this.commit }
}

resource "kalypso_gitops_commit" "this" {
  environment = terraform.workspace
  manifests   = data.kalypso_control_plane.this.manifests
  repo        = local.gitops
  branch      = terraform.workspace
}

# As long as something newer is not here yet, or somebody keeps the environment where it
# is, each plan says why, as a warning.
check "promotion" {
  assert {
    condition     = local.newest
    error_message = data.kalypso_promotion.this.reason
  }
}

locals {
  promotion = data.kalypso_promotion.this
  newest    = contains(["promote", "up_to_date"], local.promotion.decision) && alltrue([for c in local.promotion.candidates : c.commit == local.promotion.commit])
}

output "commit" {
  value = data.kalypso_promotion.this.commit
}

output "summary" {
  value = kalypso_gitops_commit.this.summary
}
