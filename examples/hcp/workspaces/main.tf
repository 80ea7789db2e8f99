# Workspaces, tokens and policies for the fleet in HCP Terraform.
#
# Not run: CI has no organization on HCP Terraform and cannot install this provider.
terraform {
  required_version = ">= 1.8"
  required_providers {
    tfe = {
      source  = "hashicorp/tfe"
      version = ">= 0.64"
    }
  }
}

provider "tfe" {
  organization = "contoso"
}

variable "oauth_token_id" {
  description = "The connection of HCP Terraform to the Git host."
  type        = string
}

variable "agent_pool_id" {
  description = "Agents in your network, if the GitOps repository is not on the internet."
  type        = string
  default     = null
}

variable "gitops_token" {
  description = "Writes the GitOps repository."
  type        = string
  sensitive   = true
}

locals {
  environments = {
    dev  = { auto_apply = true }
    prod = { auto_apply = false }
  }
}

resource "tfe_workspace" "environment" {
  for_each            = local.environments
  name                = "fleet-${each.key}"
  tag_names           = ["fleet"]
  auto_apply          = each.value.auto_apply
  queue_all_runs      = false # no run before the workspace has its variables
  assessments_enabled = true  # finds drift
  working_directory   = "examples/hcp"
  trigger_patterns    = ["/examples/hcp/**/*"]

  vcs_repo {
    identifier     = "contoso/fleet"
    oauth_token_id = var.oauth_token_id
  }
}

resource "tfe_workspace_settings" "environment" {
  for_each       = local.environments
  workspace_id   = tfe_workspace.environment[each.key].id
  execution_mode = var.agent_pool_id == null ? "remote" : "agent"
  agent_pool_id  = var.agent_pool_id
}

resource "tfe_variable" "environment" {
  for_each     = local.environments
  workspace_id = tfe_workspace.environment[each.key].id
  category     = "terraform"
  key          = "environment"
  value        = each.key
}

# The same tokens for all environments. With a token for each environment, use tfe_variable of
# the workspace.
resource "tfe_variable_set" "fleet" {
  name = "fleet"
}

resource "tfe_variable" "fleet" {
  # KALYPSO_FORGE_TOKEN is for pull requests and statuses.
  for_each        = toset(["KALYPSO_GIT_PASSWORD", "KALYPSO_FORGE_TOKEN"])
  variable_set_id = tfe_variable_set.fleet.id
  category        = "env"
  key             = each.key
  value           = var.gitops_token
  sensitive       = true
}

resource "tfe_workspace_variable_set" "environment" {
  for_each        = local.environments
  workspace_id    = tfe_workspace.environment[each.key].id
  variable_set_id = tfe_variable_set.fleet.id
}

# Stops all writes in an incident: set the value to 1 in HCP Terraform. Runs that have started
# before keep the old value.
resource "tfe_variable_set" "hold" {
  name = "fleet-hold"
}

resource "tfe_variable" "hold" {
  variable_set_id = tfe_variable_set.hold.id
  category        = "env"
  key             = "KALYPSO_HOLD"
  value           = "0"

  lifecycle {
    ignore_changes = [value] # a person sets it
  }
}

resource "tfe_workspace_variable_set" "hold" {
  for_each        = local.environments
  workspace_id    = tfe_workspace.environment[each.key].id
  variable_set_id = tfe_variable_set.hold.id
}

# An apply of dev starts a plan of prod.
resource "tfe_run_trigger" "prod" {
  workspace_id  = tfe_workspace.environment["prod"].id
  sourceable_id = tfe_workspace.environment["dev"].id
}

resource "tfe_policy_set" "packages" {
  name          = "packages"
  kind          = "opa"
  agent_enabled = true
  policies_path = "examples/hcp/policies/opa"
  workspace_ids = [for environment in tfe_workspace.environment : environment.id]

  vcs_repo {
    identifier     = "contoso/fleet"
    oauth_token_id = var.oauth_token_id
  }
}
