# Writes the application to one environment, which is the workspace. ci/deliver.sh renders the chart before.
terraform {
  required_version = ">= 1.8"
  required_providers {
    kalypso = { source = "kalypso-gitops/kalypso", version = "~> 0.1.0" }
  }
}

locals {
  # The checks that a version needs in the environment before, such as:
  #   stage = [{ context = "kalypso/dev/*", at_least = 3, creators = ["contoso-flux[bot]"] }]
  # Without a check, a version only has to be there.
  checks = { stage = [], prod = [] }

  # The environments whose versions a person merges.
  requests = ["prod"]

  # pin keeps an environment at one version: { prod = "<full id of the commit>" }. An environment that went back stays there
  # until resume_after has its last bad version.
  pin          = {}
  resume_after = {}

  repositories = jsondecode(file("${path.module}/../repositories.json"))
  environments = split("\n", trimspace(file("${path.module}/../environments.txt")))
  position     = index(local.environments, terraform.workspace)
  before       = slice(local.environments, max(0, local.position - 1), local.position)
  rendered     = "${path.module}/../rendered/${terraform.workspace}"
  title        = "${terraform.workspace}: version ${substr(coalesce(var.rendered_version, "unknown"), 0, 7)}"
}

# Chooses the version: a commit of this repository. With a source_check, dev waits for CI, such as the build of the image.
data "kalypso_promotion" "this" {
  environment  = terraform.workspace
  pin          = try(local.pin[terraform.workspace], null)
  resume_after = try(local.resume_after[terraform.workspace], null)
  target {
    repo   = local.repositories.gitops
    branch = terraform.workspace
  }
  dynamic "source" {
    for_each = local.position == 0 ? [local.repositories.app] : []
    content {
      repo   = source.value
      branch = "main"
    }
  }
  dynamic "after" {
    for_each = local.before
    content {
      environment     = after.value
      repo            = local.repositories.gitops
      branch          = after.value
      checks_required = length(local.checks[terraform.workspace]) > 0
      dynamic "check" {
        for_each = local.checks[terraform.workspace]
        content {
          context  = check.value.context
          at_least = check.value.at_least
          creators = check.value.creators
        }
      }
    }
  }
}

variable "rendered_version" {
  description = "The commit whose rendered files are in the folder rendered/<environment>."
  type        = string
  default     = null
}

resource "kalypso_gitops_commit" "this" {
  environment = terraform.workspace
  manifests   = ["# no packages, only files"]
  files       = { for f in fileset(local.rendered, "**") : f => file("${local.rendered}/${f}") }
  release     = { commit = var.rendered_version, sources = {} }
  repo        = local.repositories.gitops
  branch      = terraform.workspace

  commit_message  = local.title
  ignore_findings = ["ENVIRONMENT_EMPTY"]
  limits { allow_empty = true }
  dynamic "pull_request" {
    for_each = contains(local.requests, terraform.workspace) ? [1] : []
    content { title = local.title }
  }
}

output "version" { value = try(coalesce(data.kalypso_promotion.this.release.commit), "") }
