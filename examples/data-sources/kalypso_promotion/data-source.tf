# The reports that the GitOps commit of an environment needs: at least so many contexts
# match, and all of them are green.
variable "checks" {
  type = list(object({ context = string, at_least = optional(number) }))
  default = [
    { context = "kustomization/*", at_least = 3 }, # the number of clusters
    { context = "e2e/smoke" },
  ]
}

# Returns the newest commit of main that has worked in dev for two hours.
data "kalypso_promotion" "stage" {
  environment = "stage"
  source {
    repo   = "https://github.com/contoso/control-plane"
    branch = "main"
  }
  target {
    repo   = "https://github.com/contoso/gitops"
    branch = "stage"
  }
  after {
    environment = "dev"
    repo        = "https://github.com/contoso/gitops"
    branch      = "dev"
    soak        = "2h"
    no_checks   = length(var.checks) == 0 # an empty list needs this confirmation
    dynamic "checks" {
      for_each = var.checks
      content {
        context  = checks.value.context
        at_least = checks.value.at_least
      }
    }
  }
  windows {
    days     = ["mon", "tue", "wed", "thu"]
    from     = "09:00"
    to       = "16:00"
    timezone = "Europe/Berlin"
  }
}

output "stage" {
  value = data.kalypso_promotion.stage.reason
}

# Reads the control plane at that commit. Until a commit is verified, the data source does
# not exist.
data "kalypso_control_plane" "stage" {
  count        = data.kalypso_promotion.stage.commit == null ? 0 : 1
  repo         = "https://github.com/contoso/control-plane"
  branch       = "stage"
  environment  = "stage"
  base_commits = { main = data.kalypso_promotion.stage.commit }
}

# For a fleet without a control-plane repository: has this release worked in staging?
variable "release" {
  type    = string
  default = "v1.4.0" # promoted_commit of the resource that writes staging
}

data "kalypso_promotion" "live" {
  environment = "live"
  candidate   = var.release
  target {
    repo   = "https://github.com/contoso/gitops"
    branch = "live"
  }
  after {
    environment = "staging"
    repo        = "https://github.com/contoso/gitops"
    branch      = "staging"
    no_checks   = length(var.checks) == 0
    dynamic "checks" {
      for_each = var.checks
      content {
        context  = checks.value.context
        at_least = checks.value.at_least
      }
    }
  }
}

output "live_may_follow" { # or use this value as the condition of a precondition
  value = data.kalypso_promotion.live.verified
}
