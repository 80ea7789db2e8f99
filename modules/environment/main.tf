locals {
  fleet = merge(
    { repo = null, branch = "main", path = ".", environment_branch = null, directory = null },
    { for name, value in var.fleet : name => value if value != null },
  )
  gitops = merge(
    { branch = var.environment, path = "." },
    { for name, value in var.gitops : name => value if value != null },
    { for preview in var.preview[*] : "repo" => preview.gitops },
  )
  folder = local.gitops.path == "." ? null : local.gitops.path
  paths = { for folder in var.folders :
    folder => coalesce(join("/", [for part in [local.fleet.path, folder] : part if part != "."]), ".")
  }

  is_preview  = var.preview != null
  is_promoted = local.fleet.repo != null && !local.is_preview
  is_layout   = local.fleet.environment_branch != null

  # The cluster types of the waves by name. If the last wave has all others, those of the newest
  # commit are enough to find it in the GitOps branch.
  named    = flatten([for wave in var.waves : wave.cluster_types if wave.cluster_types != null])
  has_rest = length(local.named) > 0 && var.waves[length(var.waves) - 1].cluster_types == null
  others   = [for name in local.names_at_head : name if !contains(local.named, name)]

  waves = { for i, wave in var.waves : wave.name => {
    cluster_types = wave.cluster_types
    is_last       = i == length(var.waves) - 1
    target        = local.has_rest && i == length(var.waves) - 1 ? coalescelist(local.others, local.named) : wave.cluster_types
    check         = length(var.waves) == 1 ? var.check : wave.check

    # The first wave follows the environments in after, and each other wave the wave before it.
    after = concat(
      [for name, a in var.after : {
        environment     = name
        repo            = coalesce(a.repo, local.gitops.repo)
        branch          = coalesce(a.branch, name)
        path            = coalesce(a.path, local.gitops.path) == "." ? null : coalesce(a.path, local.gitops.path)
        cluster_types   = a.cluster_types
        soak            = a.soak
        check           = a.check
        checks_required = a.checks_required
      } if i == 0],
      [for before in slice(var.waves, max(0, i - 1), i) : {
        environment     = var.environment
        repo            = local.gitops.repo
        branch          = local.gitops.branch
        path            = local.folder
        cluster_types   = before.cluster_types
        soak            = before.soak
        check           = before.check
        checks_required = before.checks_required
      }],
    )
  } }
}

# Chooses the release of each wave. Each plan warns, with the reason, while something newer waits.
data "kalypso_promotion" "this" {
  for_each = { for name, wave in local.waves : name => wave if local.is_promoted }

  environment   = var.environment
  reports       = var.reports
  pin           = var.pin
  resume_after  = var.resume_after
  hold          = var.hold
  on_failure    = length(var.waves) == 1 || length(each.value.check) > 0 ? var.on_failure : "stay"
  failure_grace = var.failure_grace

  target {
    repo          = local.gitops.repo
    branch        = local.gitops.branch
    path          = local.folder
    cluster_types = each.value.target

    dynamic "check" { # otherwise the check is for the wave after this one
      for_each = var.on_failure == "previous" ? each.value.check : []
      content {
        context   = check.value.context
        creators  = check.value.creators
        at_least  = check.value.at_least
        expected  = check.value.expected
        min_green = check.value.min_green
      }
    }
  }

  dynamic "after" {
    for_each = each.value.after
    content {
      environment     = after.value.environment
      repo            = after.value.repo
      branch          = after.value.branch
      path            = after.value.path
      cluster_types   = after.value.cluster_types
      soak            = after.value.soak
      checks_required = after.value.checks_required

      dynamic "check" {
        for_each = after.value.check
        content {
          context   = check.value.context
          creators  = check.value.creators
          at_least  = check.value.at_least
          expected  = check.value.expected
          min_green = check.value.min_green
        }
      }
    }
  }
  dynamic "source" {
    for_each = length(each.value.after) == 0 ? [local.fleet] : []
    content {
      repo   = source.value.repo
      branch = source.value.branch
      path   = source.value.path == "." ? null : source.value.path
    }
  }
  dynamic "source_check" {
    for_each = each.key == var.waves[0].name ? var.source_check : []
    content {
      context   = source_check.value.context
      creators  = source_check.value.creators
      at_least  = source_check.value.at_least
      expected  = source_check.value.expected
      min_green = source_check.value.min_green
    }
  }
  dynamic "window" {
    for_each = var.window
    content {
      days     = window.value.days
      from     = window.value.from
      to       = window.value.to
      timezone = window.value.timezone
    }
  }
  dynamic "freeze" {
    for_each = var.freeze
    content {
      from     = freeze.value.from
      to       = freeze.value.to
      timezone = freeze.value.timezone
      reason   = freeze.value.reason
    }
  }
}

locals {
  # A wave without a release reads no objects, and its commit is on hold. With -target, Terraform leaves
  # out what this module reads in the other environments, so nothing here asks for one by its key alone.
  releases     = { for name in keys(local.waves) : name => try(data.kalypso_promotion.this[name].release, null) }
  has_release  = { for name, release in local.releases : name => local.is_promoted ? try(release.commit, null) != null : true }
  is_held      = { for name, has in local.has_release : name => !local.is_preview && (var.hold || !has) }
  repositories = { for name, has in local.has_release : name => local.is_preview || !has ? null : local.fleet.repo }
  directory    = local.is_preview ? var.preview.fleet : local.fleet.directory
}

# Reads the objects of the release, and the repositories of its applications at the commits
# that worked together: each folder for each wave.
data "kalypso_control_plane" "this" {
  for_each = { for pair in setproduct(keys(local.waves), var.folders) : join(" ", pair) => { wave = pair[0], folder = pair[1] } }

  environment     = var.environment
  directory       = local.directory == null ? null : "${local.directory}/${each.value.folder}"
  repo            = local.repositories[each.value.wave]
  branch          = local.repositories[each.value.wave] == null ? null : coalesce(local.fleet.environment_branch, local.fleet.branch)
  path            = local.repositories[each.value.wave] == null || local.is_layout ? null : local.paths[each.value.folder]
  release         = local.has_release[each.value.wave] ? local.releases[each.value.wave] : null
  fleet_manifests = local.has_release[each.value.wave] ? null : []
}

# In a preview, the objects of the environment's own branch.
data "kalypso_control_plane" "environment" {
  count = local.is_preview && local.is_layout ? 1 : 0

  environment = var.environment
  repo        = local.fleet.repo
  branch      = local.fleet.environment_branch
}

# The cluster types of the newest commit, if the last wave has all others. Nothing is written from here.
data "kalypso_control_plane" "head" {
  for_each = toset(local.has_rest && local.is_promoted ? var.folders : [])

  environment = var.environment
  repo        = local.fleet.repo
  branch      = coalesce(local.fleet.environment_branch, local.fleet.branch)
  path        = local.is_layout ? null : local.paths[each.key]
}

locals {
  parts = { for name in keys(local.waves) : name => flatten([
    for folder in var.folders : [for key, part in data.kalypso_control_plane.this : part if key == "${name} ${folder}"]
  ]) }
  own = flatten([for branch in data.kalypso_control_plane.environment :
    [for m in branch.manifests : m if startswith(m, "# Source: ${branch.repo}#${branch.branch}:")]
  ])
  empty = yamlencode({ # what there is without a release
    apiVersion = "scheduler.kalypso.io/v1alpha1", kind = "Environment", metadata = { name = var.environment }
    spec       = { controlPlane = { repo = local.fleet.repo, branch = local.fleet.branch, path = local.fleet.path } }
  })
  read = { for name, parts in local.parts :
    name => concat(flatten(parts[*].manifests), local.own, var.manifests, local.has_release[name] || local.is_preview ? [] : [local.empty])
  }
  sources = { for name, parts in local.parts : name => merge([for part in parts : part.read_release.sources if part.read_release != null]...) }

  # The names of the cluster types in what a wave reads, and in the newest commit.
  documents = { for name, manifests in local.read :
    name => flatten([for m in manifests : split("\n---", m) if strcontains(m, "ClusterType")]) if local.has_rest
  }
  names = { for name, documents in local.documents :
    name => [for d in documents : yamldecode(d).metadata.name if try(yamldecode(d).kind, "") == "ClusterType"]
  }
  at_head = concat(flatten(values(data.kalypso_control_plane.head)[*].manifests), var.manifests)
  names_at_head = [for d in flatten([for m in local.at_head : split("\n---", m)]) :
    yamldecode(d).metadata.name if try(yamldecode(d).kind, "") == "ClusterType"
  ]
}

# The placements that policies compute, except those in without. Sensitive keeps the plan short.
locals {
  placed = { for name, manifests in local.read : name => provider::kalypso::assignments(manifests, var.environment)
  if length(var.without) > 0 && local.has_release[name] }
  unplaced = length(local.placed) == 0 ? [] : setsubtract(var.without, flatten([for packages in values(local.placed) : keys(packages)]))
}

check "without" {
  assert {
    condition     = length(local.unplaced) == 0
    error_message = "No policy places ${join(", ", local.unplaced)}. Correct without: <cluster type>/<deployment target>."
  }
}

# Writes each wave. Without a release, its commit is on hold: nothing is written, removed or destroyed.
resource "kalypso_gitops_commit" "this" {
  for_each = local.waves

  environment     = var.environment
  manifests       = local.read[each.key]
  release         = local.releases[each.key] == null ? null : merge(local.releases[each.key], { sources = local.sources[each.key] })
  repo            = local.gitops.repo
  branch          = local.gitops.branch
  path            = local.gitops.path
  cluster_types   = local.has_rest && each.value.is_last ? setsubtract(local.names[each.key], local.named) : each.value.cluster_types
  hold            = local.is_held[each.key]
  assignments     = contains(keys(local.placed), each.key) ? sensitive({ for key, a in local.placed[each.key] : key => a.policies if !contains(var.without, key) }) : null
  files           = each.value.is_last ? var.files : null
  commit_message  = length(var.waves) == 1 ? null : "{environment} ${each.key}: {summary}"
  on_error        = var.on_error
  on_destroy      = var.on_destroy
  ignore_findings = var.ignore_findings
  fail_on         = var.fail_on

  limits {
    acknowledge = length(var.acknowledge) > 0 ? var.acknowledge : null
    allow_empty = var.allow_empty
    max_changed = var.max_changed
    max_removed = var.max_removed
    protect     = var.protect
  }
  dynamic "pull_request" {
    for_each = var.pull_request == null || local.is_preview ? [] : [var.pull_request]
    content {
      auto_merge     = pull_request.value.auto_merge
      branch_prefix  = pull_request.value.branch_prefix
      draft          = pull_request.value.draft
      labels         = pull_request.value.labels
      reviewers      = pull_request.value.reviewers
      team_reviewers = pull_request.value.team_reviewers
      title          = pull_request.value.title
      wait_for_merge = pull_request.value.wait_for_merge
    }
  }
  dynamic "freeze" {
    for_each = local.is_preview ? [] : var.freeze # a freeze does not fail the plans of pull requests
    content {
      from     = freeze.value.from
      to       = freeze.value.to
      timezone = freeze.value.timezone
      reason   = freeze.value.reason
    }
  }

  lifecycle {
    precondition {
      condition = local.is_promoted || local.is_preview || (
        length(var.after) + length(var.source_check) + length(var.window) + length(var.check) == 0 && length(var.waves) == 1 &&
        var.pin == null && var.resume_after == null && var.reports == null && var.on_failure == "stay"
      )
      error_message = "A folder is not promoted. Set repo in fleet, or remove after, waves, reports, check, pin and the like."
    }
    precondition {
      condition     = length(var.waves) == 1 || length(var.check) == 0
      error_message = "With several waves, each wave has its own check. Move check into waves."
    }
  }
}
