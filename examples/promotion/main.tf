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

variable "window" {
  description = "When prod may get a newer release. By default always."
  type        = list(object({ days = list(string), from = string, to = string, timezone = string }))
  default     = []
}

variable "freeze" {
  description = "When no environment may change, and why. By default never."
  type        = list(object({ from = string, to = string, timezone = string, reason = string }))
  default     = []
}

variable "acknowledge" {
  description = "The codes that the errors of freezes print."
  type        = set(string)
  default     = []
}

variable "pin" {
  description = "The full id of the commit that the environment has to be at, of main or of its GitOps branch."
  type        = string
  default     = null
}

variable "resume_after" {
  description = "The last bad commit, if the environment went back and is to go on."
  type        = string
  default     = null
}

variable "hold" {
  description = "Keeps the environment at its release."
  type        = bool
  default     = false
}

locals {
  repositories = coalesce(var.repositories, "file://${abspath("${path.module}/repositories")}")

  # The environments in which a release has to work first. A local repository has no commit
  # statuses. On GitHub, Gitea, GitLab or Azure Repos, replace checks_required = false with
  # check = [{ context = "kalypso/dev/*", at_least = 3, creators = ["contoso-flux[bot]"] }].
  after = {
    dev   = {}
    stage = { dev = { checks_required = false, soak = "0s" } }
    prod  = { stage = { checks_required = false, soak = "0s" } }
  }
}

# Chooses a release of main, reads it and the environment's branch, and writes the GitOps branch.
module "environment" {
  source = "../../modules/environment"

  environment = terraform.workspace
  fleet       = { repo = "${local.repositories}/control-plane.git", environment_branch = terraform.workspace }
  gitops      = { repo = "${local.repositories}/gitops.git" }
  after       = lookup(local.after, terraform.workspace, {})

  window       = terraform.workspace == "prod" ? var.window : []
  freeze       = var.freeze
  acknowledge  = var.acknowledge
  hold         = var.hold
  pin          = var.pin
  resume_after = var.resume_after
}

output "release" {
  value = module.environment.release
}
