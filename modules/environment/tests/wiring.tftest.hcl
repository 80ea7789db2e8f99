# Each input reaches the promotion, the control plane and the commit. Nothing is read or written.

mock_provider "kalypso" {
  mock_data "kalypso_promotion" {
    defaults = { release = { commit = "1111111111111111111111111111111111111111", sources = { "https://github.com/contoso/shop#main" = "5555555555555555555555555555555555555555" } }, decision = "promote", reason = "because" }
  }
  mock_data "kalypso_control_plane" {
    defaults = {
      manifests    = ["kind: ClusterType\nmetadata: {name: east}\n---\nkind: ClusterType\nmetadata: {name: north}"]
      read_release = { commit = "1111111111111111111111111111111111111111", sources = { "https://github.com/contoso/shop#main" = "5555555555555555555555555555555555555555" } }
    }
  }
}

variables {
  environment     = "prod"
  fleet           = { repo = "https://github.com/contoso/fleet", branch = "trunk", path = "fleet" }
  gitops          = { repo = "https://github.com/contoso/gitops", branch = "production", path = "apps" }
  manifests       = ["further"]
  reports         = "[]"
  pull_request    = { draft = true, reviewers = ["ann"] }
  max_removed     = "5"
  protect         = ["*/x"]
  acknowledge     = ["code"]
  hold            = true
  pin             = "0000000000000000000000000000000000000000"
  resume_after    = "2222222222222222222222222222222222222222"
  on_failure      = "previous"
  failure_grace   = "30m"
  check           = [{ context = "kalypso/prod/*", creators = ["flux[bot]"] }]
  on_error        = "keep"
  on_destroy      = "forbid"
  files           = { "FLEET.md" = "# Fleet" }
  ignore_findings = ["POLICY_IDLE"]
  fail_on         = ["OBJECT_INVALID"]
  window          = [{ days = ["mon"], from = "09:00", to = "16:00", timezone = "UTC" }]
  freeze          = [{ from = "2026-12-18", to = "2027-01-03", timezone = "UTC", reason = "holidays" }]
  after = {
    dev   = { checks_required = false, soak = "1h", cluster_types = ["test"] }
    stage = { check = [{ context = "e2e", at_least = 3, expected = ["e2e"], creators = ["bot"], min_green = "100%" }], soak = "24h", repo = "https://github.com/contoso/other", branch = "staging", path = "." }
  }
}

run "a_later_environment" {
  assert {
    condition = jsonencode([for p in [data.kalypso_promotion.this["all"]] : [
      p.environment, p.reports, p.pin, p.resume_after, p.hold, p.on_failure, p.failure_grace, p.source, p.target, p.window, p.freeze
      ]]) == jsonencode([["prod", "[]", var.pin, var.resume_after, true, "previous", "30m", [],
      {
        branch = "production", check = [{ at_least = null, context = "kalypso/prod/*", creators = ["flux[bot]"], expected = null, min_green = null }], cluster_types = null,
        path   = "apps", repo = "https://github.com/contoso/gitops"
    }, var.window, var.freeze]])
    error_message = jsonencode(data.kalypso_promotion.this)
  }
  assert {
    condition = jsonencode([
      for a in data.kalypso_promotion.this["all"].after : [a.environment, a.repo, a.branch, a.path, a.cluster_types, a.soak, a.checks_required, a.check]
      ]) == jsonencode([
      ["dev", "https://github.com/contoso/gitops", "dev", "apps", ["test"], "1h", false, []],
      ["stage", "https://github.com/contoso/other", "staging", null, null, "24h", true, [{ at_least = "3", context = "e2e", creators = ["bot"], expected = ["e2e"], min_green = "100%" }]],
    ])
    error_message = jsonencode(data.kalypso_promotion.this["all"].after)
  }
  assert {
    condition = jsonencode([for c in [data.kalypso_control_plane.this["all ."]] : [c.environment, c.repo, c.branch, c.path, c.directory, c.fleet_manifests, c.release]]) == jsonencode([
      ["prod", "https://github.com/contoso/fleet", "trunk", "fleet", null, null, data.kalypso_promotion.this["all"].release]
    ])
    error_message = jsonencode(data.kalypso_control_plane.this)
  }
  assert {
    condition = jsonencode([for c in [kalypso_gitops_commit.this["all"]] : [
      c.environment, nonsensitive(c.manifests), c.release, c.repo, c.branch, c.path, c.cluster_types, c.hold, c.on_error, c.on_destroy, c.files, c.ignore_findings, c.fail_on, c.freeze,
      c.limits[0].max_removed, c.limits[0].protect, c.limits[0].allow_empty, c.limits[0].max_changed, c.limits[0].acknowledge, c.pull_request[0].draft, c.pull_request[0].reviewers, c.pull_request[0].title,
      ]]) == jsonencode([["prod", concat(data.kalypso_control_plane.this["all ."].manifests, ["further"]), data.kalypso_control_plane.this["all ."].read_release, "https://github.com/contoso/gitops",
      "production", "apps", null, true, "keep", "forbid", { "FLEET.md" = "# Fleet" }, ["POLICY_IDLE"], ["OBJECT_INVALID"], var.freeze, "5", ["*/x"], false, null, ["code"], true, ["ann"], null,
    ]])
    error_message = "The commit has other settings."
  }
}

run "the_first_environment" {
  variables {
    after        = {}
    source_check = [{ context = "ci", at_least = 2, creators = ["ci[bot]"] }]
  }
  assert {
    condition = jsonencode([for p in [data.kalypso_promotion.this["all"]] : [p.source, p.source_check, p.after]]) == jsonencode([[
      [{ branch = "trunk", path = "fleet", repo = "https://github.com/contoso/fleet" }], [{ at_least = "2", context = "ci", creators = ["ci[bot]"], expected = null, min_green = null }], []
    ]])
    error_message = jsonencode(data.kalypso_promotion.this)
  }
}

run "kalypso_s_layout" {
  variables {
    fleet = { repo = "https://github.com/contoso/fleet", environment_branch = "production" }
  }
  assert {
    condition     = jsonencode([for c in [data.kalypso_control_plane.this["all ."]] : [c.repo, c.branch, c.path]]) == jsonencode([["https://github.com/contoso/fleet", "production", null]])
    error_message = jsonencode(data.kalypso_control_plane.this)
  }
}

# Rings are branches of one environment: examples/rings.
run "a_ring" {
  variables {
    after = { prod = { branch = "prod-5", soak = "24h", check = [{ context = "kalypso/prod/store/*", at_least = 400, min_green = "95%", creators = null }] } }
  }
  assert {
    condition = jsonencode([for a in data.kalypso_promotion.this["all"].after : [a.environment, a.branch, a.check[0].at_least, a.check[0].min_green]]) == jsonencode([
      ["prod", "prod-5", "400", "95%"]
    ])
    error_message = jsonencode(data.kalypso_promotion.this["all"].after)
  }
}

# The order of the list counts, not that of the names.
run "waves" {
  variables {
    check = []
    waves = [
      { name = "pilots", cluster_types = ["west"], soak = "1h", check = [{ context = "kalypso/prod/west/*", creators = null }] },
      { name = "half", cluster_types = ["north"], soak = "2h", checks_required = false },
      { name = "all others", cluster_types = null },
    ]
  }
  assert {
    condition = jsonencode([for name in var.waves[*].name : [
      data.kalypso_promotion.this[name].on_failure, data.kalypso_promotion.this[name].target.cluster_types, data.kalypso_promotion.this[name].target.check[*].context,
      [for a in data.kalypso_promotion.this[name].after : [a.environment, a.repo, a.branch, a.path, a.cluster_types, a.soak, a.checks_required, a.check[*].context]]
      ]]) == jsonencode([
      ["previous", ["west"], ["kalypso/prod/west/*"], [
        ["dev", "https://github.com/contoso/gitops", "dev", "apps", ["test"], "1h", false, []],
        ["stage", "https://github.com/contoso/other", "staging", null, null, "24h", true, ["e2e"]],
      ]],
      ["stay", ["north"], [], [["prod", "https://github.com/contoso/gitops", "production", "apps", ["west"], "1h", true, ["kalypso/prod/west/*"]]]],
      ["stay", ["east"], [], [["prod", "https://github.com/contoso/gitops", "production", "apps", ["north"], "2h", false, []]]],
    ])
    error_message = jsonencode(data.kalypso_promotion.this)
  }
  assert {
    condition = jsonencode([for name in var.waves[*].name : [kalypso_gitops_commit.this[name].cluster_types, kalypso_gitops_commit.this[name].files]]) == jsonencode([
      [["west"], null], [["north"], null], [["east"], var.files]
    ])
    error_message = "The commit has other settings."
  }
}

run "waves_that_are_not_complete" {
  command = plan
  variables {
    check = []
    waves = [{ name = "rest", cluster_types = null, soak = "1h" }, { name = "pilots", cluster_types = ["west"] }]
  }
  expect_failures = [var.waves]
}

run "a_wave_without_a_soak" {
  command = plan
  variables {
    check = []
    waves = [{ name = "pilots", cluster_types = ["west"] }, { name = "rest", cluster_types = null }]
  }
  expect_failures = [var.waves]
}

run "waves_have_their_own_checks" {
  command = plan
  variables {
    waves = [{ name = "pilots", cluster_types = ["west"], soak = "0s", checks_required = false }, { name = "rest", cluster_types = null }]
  }
  expect_failures = [kalypso_gitops_commit.this]
}
