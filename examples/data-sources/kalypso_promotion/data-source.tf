# The reports that the GitOps commits of an environment need. All of them must be green.
variable "checks" {
  type = list(object({ context = string, at_least = optional(number) }))
  default = [
    { context = "kustomization/*", at_least = 3 }, # one report for each cluster
    { context = "e2e/smoke" },
  ]
}

# The newest commit of main that has worked in dev for two hours.
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

# Reads the control plane at the commit of the release, and the repositories that it follows at
# theirs. Without a verified release, it does not exist.
data "kalypso_control_plane" "stage" {
  count       = data.kalypso_promotion.stage.release.commit == null ? 0 : 1
  repo        = "https://github.com/contoso/control-plane"
  branch      = "stage"
  environment = "stage"
  release     = data.kalypso_promotion.stage.release
}

# A fleet without a repository: may this release go to live?
variable "release" {
  type    = string
  default = "v1.4.0" # the promoted_commit of the commit resource of staging
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

output "live_may_follow" { # or the condition of a precondition
  value = data.kalypso_promotion.live.commit == var.release
}
