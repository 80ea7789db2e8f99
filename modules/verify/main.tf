locals {
  fleet = merge(
    { branch = "main", path = ".", environment_branch = null },
    { for name, value in var.fleet : name => value if value != null },
  )
  gitops = merge(
    { branch = var.environment },
    { for name, value in var.gitops : name => value if value != null },
  )
}

# Chooses the release that the environment should have. Nothing that the request says has an effect here.
data "kalypso_promotion" "this" {
  environment  = var.environment
  reports      = var.reports
  pin          = var.pin
  resume_after = var.resume_after

  target {
    repo   = local.gitops.repo
    branch = local.gitops.branch
  }
  dynamic "after" {
    for_each = var.after
    content {
      environment     = after.key
      repo            = coalesce(after.value.repo, local.gitops.repo)
      branch          = coalesce(after.value.branch, after.key)
      path            = after.value.path == "." ? null : after.value.path
      cluster_types   = after.value.cluster_types
      soak            = after.value.soak
      checks_required = after.value.checks_required

      dynamic "check" {
        for_each = after.value.check
        content {
          context  = check.value.context
          creators = check.value.creators
          at_least = check.value.at_least
          expected = check.value.expected
        }
      }
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

# Reads the objects of the release.
data "kalypso_control_plane" "this" {
  for_each = toset(local.commit == null ? [] : var.folders)

  environment = var.environment
  repo        = local.fleet.repo
  branch      = coalesce(local.fleet.environment_branch, local.fleet.branch)
  path        = local.fleet.environment_branch != null ? null : coalesce(join("/", [for part in [local.fleet.path, each.key] : part if part != "."]), ".")
  release     = data.kalypso_promotion.this.release
}

# What the request should have.
locals {
  release  = { commit = data.kalypso_promotion.this.release.commit, sources = merge(local.parts[*].release.sources...) }
  commit   = data.kalypso_promotion.this.release.commit
  parts    = local.commit == null ? [] : [for folder in var.folders : data.kalypso_control_plane.this[folder]]
  rendered = local.commit == null ? {} : provider::kalypso::render(concat(flatten(local.parts[*].manifests), var.manifests), var.environment)
  promoted = local.commit == null ? {} : { ".github/tracking/Promoted_Commit_Id" = local.commit }
  files    = merge(local.rendered, var.files, local.promoted)
  types    = distinct([for path in setsubtract(keys(local.rendered), keys(local.promoted)) : split("/", path)[0]])
  record = { for key, value in {
    environment = var.environment
    branch      = local.gitops.branch
    path        = "."
    release     = local.release
    folders     = { for key in concat(local.types, [for path in keys(var.files) : "./${path}"], keys(local.promoted)) : key => "owned" }
  } : key => jsonencode(value) }
}

# What the request has. The record of an environment without sources leaves them out, and each provider writes its own version.
locals {
  found = { for path in fileset(var.request, "**") : path => filesha256("${var.request}/${path}")
  if path != ".git" && !startswith(path, ".git/") && !contains(var.ignore, path) }
  records = { for path in keys(local.found) : path => try({ for key, value in yamldecode(file("${var.request}/${path}")) :
    key => key == "release" ? jsonencode(merge({ sources = {} }, value)) : jsonencode(value) if key != "provider_version"
  }, {}) if startswith(path, ".kalypso/") }
  emptied = { for path, hash in local.found : path => hash if endswith(path, "/README.md") && hash == sha256(<<-EOT
    <!-- emptied by terraform-provider-kalypso -->
    # Nothing is assigned here any more

    This folder is left so that clusters that still read it remove what it held. Delete it once no cluster reads it.
    EOT
  ) } # what is left of a cluster type that left the fleet

  differences = concat(
    [for reason in [data.kalypso_promotion.this.reason] : "No release is verified: ${reason}" if local.commit == null],
    length(local.records) == 1 ? [] : ["${length(local.records)} records are in .kalypso instead of one."],
    flatten([for path, record in local.records : [for key in setunion(keys(record), keys(local.record)) :
      "${path}: ${replace(key, "/\\s/", " ")} is ${lookup(record, key, "missing")} instead of ${lookup(local.record, key, "missing")}."
    if lookup(record, key, "missing") != lookup(local.record, key, "missing")]]),
    [for path in setsubtract(keys(local.found), concat(keys(local.files), keys(local.records), keys(local.emptied))) : "${path} was added."],
    [for path in setsubtract(keys(local.files), keys(local.found)) : "${path} was removed."],
    [for path in setintersection(keys(local.files), keys(local.found)) : "${path} differs." if local.found[path] != sha256(local.files[path])],
  )
}
