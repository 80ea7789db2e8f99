# The clusters of dev that have to report. Without a cluster, no report is required.
variable "clusters" {
  type    = set(string)
  default = ["cloud/cloud-1", "store/store-1", "store/store-2"]
}

# The newest release that has worked in dev for two hours.
data "kalypso_promotion" "stage" {
  environment = "stage"
  target {
    repo   = "https://github.com/contoso/gitops"
    branch = "stage"
  }
  after {
    environment     = "dev"
    repo            = "https://github.com/contoso/gitops"
    branch          = "dev"
    soak            = "2h"
    checks_required = length(var.clusters) > 0
    dynamic "check" {
      for_each = length(var.clusters) > 0 ? [var.clusters] : []
      content {
        context  = "kalypso/dev/*"
        expected = [for cluster in check.value : "kalypso/dev/${cluster}"] # all of them, by name
        creators = ["contoso-flux[bot]"]
      }
    }
  }
  window {
    days     = ["mon", "tue", "wed", "thu"]
    from     = "09:00"
    to       = "16:00"
    timezone = "Europe/Berlin"
  }
}

# Reads the control plane at that commit, and the repositories that it follows at theirs. A release
# without a commit is refused, so nothing is read before something is verified.
data "kalypso_control_plane" "stage" {
  count       = data.kalypso_promotion.stage.release.commit == null ? 0 : 1
  repo        = "https://github.com/contoso/control-plane"
  branch      = "stage"
  environment = "stage"
  release     = data.kalypso_promotion.stage.release
}

# The first environment of the chain follows a branch.
data "kalypso_promotion" "dev" {
  environment = "dev"
  source {
    repo   = "https://github.com/contoso/control-plane"
    branch = "main"
  }
  target {
    repo   = "https://github.com/contoso/gitops"
    branch = "dev"
  }
}

# The release is stable. decision, reason and candidates change after an apply, so they belong into
# checks, not into outputs.
output "release" {
  value = data.kalypso_promotion.stage.release
}

check "stage_has_not_failed" {
  assert {
    condition     = alltrue([for c in data.kalypso_promotion.stage.candidates : c.state != "failed"])
    error_message = data.kalypso_promotion.stage.reason
  }
}
