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

variable "acknowledge" {
  description = "The code that the error of a freeze prints."
  type        = string
  default     = null
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

  # The environments in which a release has to work first. A local repository has no commit
  # statuses. On GitHub, Gitea or Forgejo, write checks as
  # [{ context = "kalypso/dev/*", at_least = 3, creators = ["contoso-flux[bot]"] }].
  after = {
    dev   = {}
    stage = { dev = { checks = [], soak = "0s" } }
    prod  = { stage = { checks = [], soak = "0s" } }
  }
}

# Chooses a commit of main, reads it and the environment's branch, and writes the GitOps branch.
module "environment" {
  source = "../../modules/environment"

  environment = terraform.workspace
  fleet       = { repo = "${local.repositories}/control-plane.git", environment_branch = terraform.workspace }
  gitops      = { repo = "${local.repositories}/gitops.git" }
  allow       = [{ source = "WorkloadRegistration/*", kinds = ["Workload"], names = null, workspaces = null }]

  after = lookup(local.after, terraform.workspace, {})

  windows = terraform.workspace == "prod" ? var.windows : []
  freezes = var.freezes
  limits  = { acknowledge = var.acknowledge }
  hold    = var.hold
  pin     = var.pin
}

# Warns if a commit waits for more than two days.
check "waiting" {
  assert {
    condition = alltrue([
      for c in module.environment.candidates :
      c.commit == module.environment.commit || timecmp(plantimestamp(), timeadd(c.time, "48h")) < 0
    ])
    error_message = "${terraform.workspace} waits for more than two days. ${module.environment.reason}"
  }
}

output "commit" {
  value = module.environment.commit
}
