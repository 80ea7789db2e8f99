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
          context   = check.value.context
          creators  = check.value.creators
          at_least  = check.value.at_least
          expected  = check.value.expected
          min_green = check.value.min_green
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
  commit   = data.kalypso_promotion.this.release.commit
  parts    = values(data.kalypso_control_plane.this)
  release  = { commit = local.commit, sources = merge(local.parts[*].read_release.sources...) }
  rendered = local.commit == null ? {} : provider::kalypso::render(concat(flatten(local.parts[*].manifests), var.manifests), var.environment)
  promoted = { for commit in local.commit[*] : ".github/tracking/Promoted_Commit_Id" => commit }
  files    = merge(local.rendered, var.files, local.promoted)
  types    = distinct([for path in keys(local.rendered) : split("/", path)[0]])
  record = concat(
    ["environment: ${var.environment}", "branch: ${local.gitops.branch}", "path: .", "provider_version: any"],
    ["release:", format("  commit: %v", local.commit)],
    length(local.release.sources) > 0 ? ["  sources:"] : [],
    [for name, commit in local.release.sources : "    ${name}: ${commit}"],
    ["folders:"],
    [for key in sort(concat(local.types, [for path in keys(var.files) : "./${path}"], keys(local.promoted))) : "  ${key}: owned"],
  )
}

# What the request has. Records are compared as lines, because readers of YAML differ: one takes the first of two releases,
# another the last. Only quotes, empty lines and the version of the provider may differ.
locals {
  found = { for path in fileset(var.request, "**") : path => filesha256("${var.request}/${path}")
  if path != ".git" && !startswith(path, ".git/") && !contains(var.ignore, path) }
  records = { for path in keys(local.found) : path => compact(split("\n", replace(replace(
    try(file("${var.request}/${path}"), ""), "/provider_version: [-+.0-9A-Za-z]+/", "provider_version: any"),
    "/(?m)(^| )(?:\"([^\"\\n]*)\"|'([^'\\n]*)')(:|$)/", "$1$2$3$4"
  ))) if can(regex("^[.]kalypso/[0-9a-f]{16}$", path)) }
  emptied = { for path, hash in local.found : path => hash if can(regex("^[^/]+/README[.]md$", path)) && hash == sha256(<<-EOT
    <!-- emptied by terraform-provider-kalypso -->
    # Nothing is assigned here any more

    This folder is left so that clusters that still read it remove what it held. Delete it once no cluster reads it.
    EOT
  ) } # what is left of a cluster type that left the fleet

  differences = concat(
    [for reason in [data.kalypso_promotion.this.reason] : "No release is verified: ${reason}" if local.commit == null],
    length(local.records) == 1 ? [] : ["${length(local.records)} records are in .kalypso instead of one."],
    [for path, lines in local.records : format("%s has %s instead of %s, each line once and in its place.", path,
      jsonencode(setsubtract(lines, local.record)), jsonencode(setsubtract(local.record, lines)))
    if join("\n", lines) != join("\n", local.record)],
    [for path in setsubtract(keys(local.found), concat(keys(local.files), keys(local.records), keys(local.emptied))) : "${path} was added."],
    [for path in setsubtract(keys(local.files), keys(local.found)) : "${path} was removed."],
    [for path in setintersection(keys(local.files), keys(local.found)) : "${path} differs." if local.found[path] != sha256(local.files[path])],
  )
}
