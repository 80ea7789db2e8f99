# Three environments of one control plane, each a workspace of this configuration.
# setup.sh makes the repositories, and prints an export to run before terraform.
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

variable "windows" {
  description = "When prod may get something new. By default always."
  type        = list(object({ days = list(string), from = string, to = string, timezone = string }))
  default     = []
}

variable "freezes" {
  description = "When no environment may change, and why. By default never."
  type        = list(object({ from = string, to = string, timezone = string, reason = string }))
  default     = []
}

variable "pin" {
  description = "The full id of the commit that the environment has to be at."
  type        = string
  default     = null
}

variable "hold" {
  description = "Keeps the environment at its commit."
  type        = bool
  default     = false
}

locals {
  repositories = coalesce(var.repositories, "file://${abspath("${path.module}/repositories")}")
  source       = "${local.repositories}/control-plane.git"
  gitops       = "${local.repositories}/gitops.git"

  # The environments in which a commit has to work first.
  before = { dev = [], stage = ["dev"], prod = ["stage"] }
}

# Chooses a commit of main for this environment.
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

  # A local repository has no commit statuses. On GitHub, Gitea or Forgejo, replace no_checks
  # with checks { context = "kalypso/${after.value}/*" }.
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
  dynamic "freeze" {
    for_each = var.freezes
    content {
      from     = freeze.value.from
      to       = freeze.value.to
      timezone = freeze.value.timezone
      reason   = freeze.value.reason
    }
  }

  lifecycle {
    precondition {
      condition     = contains(keys(local.before), terraform.workspace)
      error_message = "There is no environment ${terraform.workspace}. Run: terraform workspace select -or-create dev"
    }
  }
}

# Reads the environment's branch of the control plane, main at the chosen commit, and the
# applications' repositories at the commits that worked together with it.
data "kalypso_control_plane" "this" {
  repo           = local.source
  branch         = terraform.workspace
  environment    = terraform.workspace
  base_commits   = { main = data.kalypso_promotion.this.commit }
  source_commits = data.kalypso_promotion.this.sources

  allow {
    source = "WorkloadRegistration/*"
    kinds  = ["Workload"]
  }
}

resource "kalypso_gitops_commit" "this" {
  environment = terraform.workspace
  manifests   = data.kalypso_control_plane.this.manifests
  sources     = data.kalypso_control_plane.this.sources
  repo        = local.gitops
  branch      = terraform.workspace

  dynamic "freeze" {
    for_each = var.freezes
    content {
      from     = freeze.value.from
      to       = freeze.value.to
      timezone = freeze.value.timezone
      reason   = freeze.value.reason
    }
  }
}

# Warns in each plan, with the reason, while the environment does not get the newest release.
check "promotion" {
  assert {
    condition = contains(["promote", "up_to_date"], local.promotion.decision) && alltrue([
      for c in local.promotion.candidates : c.commit == local.promotion.commit && c.sources == local.promotion.sources
    ])
    error_message = local.promotion.reason
  }
}

# Warns if a commit waits for more than two days.
check "waiting" {
  assert {
    condition = alltrue([
      for c in local.promotion.candidates :
      c.commit == local.promotion.commit || timecmp(plantimestamp(), timeadd(c.time, "48h")) < 0
    ])
    error_message = "${terraform.workspace} waits for more than two days. ${local.promotion.reason}"
  }
}

locals {
  promotion = data.kalypso_promotion.this
}

output "commit" {
  value = local.promotion.commit
}
