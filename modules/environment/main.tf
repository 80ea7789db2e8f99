locals {
  fleet = merge(
    { repo = null, branch = "main", path = ".", environment_branch = null, directory = null },
    { for name, value in var.fleet : name => value if value != null },
  )
  gitops = merge({ branch = var.environment, path = "." }, { for name, value in var.gitops : name => value if value != null })

  promoted  = local.fleet.repo != null
  promotion = one(data.kalypso_promotion.this)

  # What the environment reads: a folder, the promoted commit, or Kalypso's layout.
  read = {
    repo         = var.preview == null ? local.fleet.repo : null
    directory    = var.preview == null ? local.fleet.directory : var.preview
    is_layout    = var.preview == null && local.fleet.environment_branch != null
    is_promotion = var.preview == null && local.promoted
  }

  is_newest = !local.promoted ? true : contains(["promote", "up_to_date"], local.promotion.decision) && alltrue([
    for c in local.promotion.candidates : c.commit == local.promotion.commit && c.sources == local.promotion.sources
  ])
}

# Chooses the release of the environment.
data "kalypso_promotion" "this" {
  count = local.promoted ? 1 : 0

  environment   = var.environment
  pin           = var.pin
  hold          = var.hold
  on_failure    = var.on_failure == null ? null : "previous"
  failure_grace = var.on_failure == null ? null : var.on_failure.grace

  source {
    repo   = local.fleet.repo
    branch = local.fleet.branch
    path   = local.fleet.path == "." ? null : local.fleet.path
  }
  target {
    repo   = local.gitops.repo
    branch = local.gitops.branch
    path   = local.gitops.path == "." ? null : local.gitops.path

    dynamic "checks" {
      for_each = var.on_failure == null ? [] : var.on_failure.checks
      content {
        context  = checks.value.context
        at_least = checks.value.at_least
        creators = checks.value.creators
      }
    }
  }

  dynamic "after" {
    for_each = var.after
    content {
      environment = after.key
      repo        = coalesce(after.value.repo, local.gitops.repo)
      branch      = coalesce(after.value.branch, after.key)
      path        = coalesce(after.value.path, local.gitops.path) == "." ? null : coalesce(after.value.path, local.gitops.path)
      soak        = after.value.soak
      no_checks   = length(after.value.checks) == 0

      dynamic "checks" {
        for_each = after.value.checks
        content {
          context  = checks.value.context
          at_least = checks.value.at_least
          creators = checks.value.creators
        }
      }
    }
  }
  dynamic "source_checks" {
    for_each = var.source_checks
    content {
      context  = source_checks.value.context
      at_least = source_checks.value.at_least
      creators = source_checks.value.creators
    }
  }
  dynamic "windows" {
    for_each = var.windows
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
}

# Reads the objects of the release, and the repositories of its applications at the commits
# that worked together.
data "kalypso_control_plane" "this" {
  environment    = var.environment
  directory      = local.read.directory
  repo           = local.read.repo
  branch         = local.read.is_layout ? local.fleet.environment_branch : local.read.is_promotion ? local.fleet.branch : null
  path           = local.read.is_promotion && !local.read.is_layout ? local.fleet.path : null
  commit         = local.read.is_promotion && !local.read.is_layout ? local.promotion.commit : null
  base_commits   = local.read.is_layout ? { main = local.promotion.commit } : null
  source_commits = local.promoted ? local.promotion.sources : null

  dynamic "allow" {
    for_each = var.allow
    content {
      source     = allow.value.source
      kinds      = allow.value.kinds
      names      = allow.value.names
      workspaces = allow.value.workspaces
    }
  }

  lifecycle {
    precondition {
      condition     = local.read.is_promotion ? local.promotion.commit != null : true
      error_message = local.promoted ? local.promotion.reason : "Nothing is promoted."
    }
  }
}

# In a preview, the objects of the environment's own branch.
data "kalypso_control_plane" "environment" {
  count = var.preview != null && local.fleet.environment_branch != null ? 1 : 0

  environment = var.environment
  repo        = local.fleet.repo
  branch      = local.fleet.environment_branch
  follow      = []
}

# A preview can be planned, but an apply fails before it writes the preview to the branch.
resource "terraform_data" "preview" {
  count = var.preview == null ? 0 : 1

  provisioner "local-exec" {
    command = "echo 'A preview cannot be applied. Remove preview.' && exit 1"
  }
}

resource "kalypso_gitops_commit" "this" {
  environment     = var.environment
  manifests       = concat(data.kalypso_control_plane.this.manifests, flatten(data.kalypso_control_plane.environment[*].manifests), var.manifests)
  sources         = data.kalypso_control_plane.this.sources
  promoted_commit = local.promoted ? local.promotion.commit : null
  repo            = local.gitops.repo
  branch          = local.gitops.branch
  path            = local.gitops.path
  hold            = var.preview == null ? var.hold : false # a preview shows the effect
  on_error        = var.on_error
  on_destroy      = var.on_destroy
  files           = var.files
  ignore_findings = var.ignore_findings
  fail_on         = var.fail_on

  dynamic "limits" {
    for_each = length(keys(var.limits)) == 0 ? [] : [var.limits]
    content {
      acknowledge = lookup(limits.value, "acknowledge", null)
      allow_empty = lookup(limits.value, "allow_empty", null)
      max_changed = lookup(limits.value, "max_changed", null)
      max_removed = lookup(limits.value, "max_removed", null)
      protect     = lookup(limits.value, "protect", null)
    }
  }
  dynamic "pull_request" {
    for_each = var.review == null ? [] : [var.review]
    content {
      auto_merge     = lookup(pull_request.value, "auto_merge", null)
      branch_prefix  = lookup(pull_request.value, "branch_prefix", null)
      draft          = lookup(pull_request.value, "draft", null)
      labels         = lookup(pull_request.value, "labels", null)
      reviewers      = lookup(pull_request.value, "reviewers", null)
      team_reviewers = lookup(pull_request.value, "team_reviewers", null)
      title          = lookup(pull_request.value, "title", null)
      wait_for_merge = lookup(pull_request.value, "wait_for_merge", null)
    }
  }
  dynamic "freeze" {
    for_each = var.preview == null ? var.freezes : [] # a freeze does not fail the plans of pull requests
    content {
      from     = freeze.value.from
      to       = freeze.value.to
      timezone = freeze.value.timezone
      reason   = freeze.value.reason
    }
  }

  depends_on = [terraform_data.preview]

  lifecycle {
    precondition {
      condition     = local.promoted || length(var.after) + length(var.source_checks) + length(var.windows) == 0 && var.pin == null && var.on_failure == null
      error_message = "A folder is not promoted. Set repo in fleet, or remove after, source_checks, windows, pin and on_failure."
    }
  }
}

# Warns in each plan, with the reason, while the environment does not get the newest release.
check "promotion" {
  assert {
    condition     = local.is_newest
    error_message = local.promoted ? local.promotion.reason : "Nothing is promoted."
  }
}
