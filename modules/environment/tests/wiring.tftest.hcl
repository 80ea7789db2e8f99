# Each input reaches the promotion, the control plane and the commit. Nothing is read or written.

mock_provider "kalypso" {
  mock_data "kalypso_promotion" {
    defaults = { commit = "1111111111111111111111111111111111111111", decision = "promote", reason = "because", sources = { "https://github.com/contoso/shop#main" = "5555555555555555555555555555555555555555" } }
  }
  mock_data "kalypso_control_plane" {
    defaults = { manifests = ["of the fleet"], sources = { "https://github.com/contoso/shop#main" = "5555555555555555555555555555555555555555" } }
  }
}

variables {
  environment     = "prod"
  fleet           = { repo = "https://github.com/contoso/fleet", branch = "trunk", path = "fleet" }
  gitops          = { repo = "https://github.com/contoso/gitops", branch = "production", path = "apps" }
  manifests       = ["further"]
  allow           = [{ source = "WorkloadRegistration/*", kinds = ["Workload"], names = ["a-*"], workspaces = ["a"] }]
  source_checks   = [{ context = "ci", at_least = 2, creators = ["ci[bot]"] }]
  review          = { draft = true, reviewers = ["ann"] }
  limits          = { max_removed = "5", protect = ["*/x"], allow_empty = false }
  hold            = true
  pin             = "0000000000000000000000000000000000000000"
  on_failure      = { checks = [{ context = "kalypso/prod/*", at_least = 1, creators = ["flux[bot]"] }], grace = "30m" }
  on_error        = "keep"
  on_destroy      = "forbid"
  files           = { "FLEET.md" = "# Fleet" }
  ignore_findings = ["POLICY_IDLE"]
  fail_on         = ["FILE_BROKEN"]
  windows         = [{ days = ["mon"], from = "09:00", to = "16:00", timezone = "UTC" }]
  freezes         = [{ from = "2026-12-18", to = "2027-01-03", timezone = "UTC", reason = "holidays" }]
  after = {
    dev   = { checks = [], soak = "1h" }
    stage = { checks = [{ context = "e2e", at_least = 3, creators = ["bot"] }], soak = "24h", repo = "https://github.com/contoso/other", branch = "staging", path = "apps" }
  }
}

run "the_promotion" {
  assert {
    condition = alltrue([
      for p in data.kalypso_promotion.this : p.environment == "prod" && p.hold && p.pin == "0000000000000000000000000000000000000000" && p.on_failure == "previous" && p.failure_grace == "30m" &&
      p.source.repo == "https://github.com/contoso/fleet" && p.source.branch == "trunk" && p.source.path == "fleet" &&
      p.target.repo == "https://github.com/contoso/gitops" && p.target.branch == "production" && p.target.path == "apps"
    ]) && length(data.kalypso_promotion.this) == 1
    error_message = jsonencode(data.kalypso_promotion.this)
  }
  assert {
    condition = jsonencode([
      for p in data.kalypso_promotion.this : [p.windows, p.freeze, p.source_checks, p.target.checks]
      ]) == jsonencode([[var.windows, var.freezes, [for c in var.source_checks : { at_least = 2, context = "ci", creators = ["ci[bot]"] }],
        [{ at_least = 1, context = "kalypso/prod/*", creators = ["flux[bot]"] }]
    ]])
    error_message = jsonencode(data.kalypso_promotion.this)
  }
  assert {
    condition = jsonencode([
      for a in data.kalypso_promotion.this[0].after : [a.environment, a.repo, a.branch, a.path, a.soak, a.no_checks, a.checks]
      ]) == jsonencode([
      ["dev", "https://github.com/contoso/gitops", "dev", "apps", "1h", true, []],
      ["stage", "https://github.com/contoso/other", "staging", "apps", "24h", false, [{ at_least = 3, context = "e2e", creators = ["bot"] }]],
    ])
    error_message = jsonencode(data.kalypso_promotion.this[0].after)
  }
}

run "the_control_plane" {
  assert {
    condition = jsonencode([
      for c in [data.kalypso_control_plane.this] : [c.environment, c.repo, c.branch, c.commit, c.path, c.directory, c.base_commits, c.source_commits, c.allow]
      ]) == jsonencode([["prod", "https://github.com/contoso/fleet", "trunk", "1111111111111111111111111111111111111111", "fleet", null, null,
        { "https://github.com/contoso/shop#main" = "5555555555555555555555555555555555555555" },
    [{ kinds = ["Workload"], names = ["a-*"], source = "WorkloadRegistration/*", workspaces = ["a"] }]]])
    error_message = jsonencode(data.kalypso_control_plane.this)
  }
}

run "kalypso_s_layout" {
  variables {
    fleet = { repo = "https://github.com/contoso/fleet", environment_branch = "production" }
  }
  assert {
    condition = jsonencode([
      for c in [data.kalypso_control_plane.this] : [c.repo, c.branch, c.commit == local.promotion.commit, c.path, c.base_commits]
    ]) == jsonencode([["https://github.com/contoso/fleet", "production", false, null, { main = "1111111111111111111111111111111111111111" }]])
    error_message = jsonencode(data.kalypso_control_plane.this)
  }
}

run "the_commit" {
  assert {
    condition = jsonencode([for c in [kalypso_gitops_commit.this] : [
      c.environment, nonsensitive(c.manifests), c.sources, c.promoted_commit, c.repo, c.branch, c.path, c.hold, c.on_error, c.on_destroy, c.files, c.ignore_findings, c.fail_on, c.freeze,
      c.limits.max_removed, c.limits.protect, c.limits.allow_empty, c.limits.max_changed, c.pull_request.draft, c.pull_request.reviewers, c.pull_request.title,
      ]]) == jsonencode([["prod", ["of the fleet", "further"], { "https://github.com/contoso/shop#main" = "5555555555555555555555555555555555555555" }, "1111111111111111111111111111111111111111", "https://github.com/contoso/gitops",
      "production", "apps", true, "keep", "forbid", { "FLEET.md" = "# Fleet" }, ["POLICY_IDLE"], ["FILE_BROKEN"], var.freezes, "5", ["*/x"], false, null, true, ["ann"], null,
    ]])
    error_message = jsonencode(nonsensitive(kalypso_gitops_commit.this))
  }
}
