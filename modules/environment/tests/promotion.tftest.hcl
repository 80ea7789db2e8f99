# Stage follows dev. The repositories are local, so no environment has reports.

run "repositories" {
  module {
    source = "./tests/repositories"
  }
}

variables {
  environment = "stage"
  fleet       = { repo = "file://${abspath("tests/repositories/made")}/fleet.git", path = "fleet" }
  gitops      = { repo = "file://${abspath("tests/repositories/made")}/gitops.git" }
  after       = { dev = { checks = [], soak = "0s" } }
}

run "stage_cannot_start_before_dev" {
  command         = plan
  expect_failures = [data.kalypso_control_plane.this, check.promotion]
}

run "a_preview_needs_no_release" {
  command = plan
  variables {
    preview = "tests/preview"
  }
  expect_failures = [check.promotion]
  assert {
    condition     = contains(keys(output.packages), "cloud/shop-checkout") && output.commit == null
    error_message = jsonencode(output.packages)
  }
}

run "dev" {
  module {
    source = "./tests/dev"
  }
  variables {
    repositories = run.repositories
  }
}

run "stage_gets_the_commit_of_dev" {
  assert {
    condition     = output.commit != null && output.decision == "promote" && output.status == "in_sync"
    error_message = "${output.decision} ${coalesce(output.commit, "nothing")}: ${output.reason}"
  }
  assert {
    condition     = contains(keys(output.packages), "store/shop-checkout") && strcontains(output.summary, "+1 ~0 -0 packages")
    error_message = output.summary
  }
}

run "a_change_is_merged" {
  module {
    source = "./tests/merge"
  }
  variables {
    path = "./second"
  }
}

run "stage_waits_for_dev_and_says_so" {
  command         = plan
  expect_failures = [check.promotion]
  assert {
    condition     = output.decision == "up_to_date" && strcontains(output.reason, "not deployed in dev")
    error_message = output.reason
  }
  assert {
    condition     = length(output.candidates) == 1 && strcontains(output.candidates[0].subject, "./second")
    error_message = jsonencode(output.candidates)
  }
}

run "dev_gets_the_change" {
  module {
    source = "./tests/dev"
  }
  variables {
    repositories = run.repositories
  }
}

run "a_closed_window_keeps_stage_at_its_commit" {
  command = plan
  variables {
    windows = [{ days = [run.repositories.another_day], from = "09:00", to = "10:00", timezone = "UTC" }]
  }
  expect_failures = [check.promotion]
  assert {
    condition     = output.decision == "held" && strcontains(output.reason, "verified in dev, but no window")
    error_message = "${output.reason} ${output.summary}"
  }
}

run "a_freeze_keeps_stage_at_its_commit" {
  command = plan
  variables {
    freezes = [{ from = "2020-01-01", to = "2999-12-31", timezone = "UTC", reason = "the end of the year" }]
  }
  expect_failures = [check.promotion]
  assert {
    condition     = output.decision == "held" && strcontains(output.reason, "the end of the year")
    error_message = output.reason
  }
}

run "hold_keeps_stage_at_its_commit" {
  command = plan
  variables {
    hold = true
  }
  expect_failures = [check.promotion]
  assert {
    condition     = output.decision == "held" && kalypso_gitops_commit.this.hold
    error_message = output.reason
  }
}

run "a_soak_keeps_stage_at_its_commit" {
  command = plan
  variables {
    after = { dev = { checks = [], soak = "8760h" } }
  }
  expect_failures = [check.promotion]
  assert {
    condition     = output.candidates[0].state == "soaking"
    error_message = output.reason
  }
}

run "a_pin_comes_before_everything" {
  command = plan
  variables {
    pin = run.dev_gets_the_change.commit
  }
  expect_failures = [check.promotion]
  assert {
    condition     = output.decision == "pinned" && strcontains(output.summary, "+0 ~1 -0 packages")
    error_message = "${output.reason} ${output.summary}"
  }
}

run "stage_gets_the_change" {
  assert {
    condition     = output.decision == "promote" && strcontains(output.summary, "+0 ~1 -0 packages")
    error_message = "${output.reason} ${output.summary}"
  }
}

# The folder has the cluster type cloud. A freeze does not fail the plan of a pull request.
run "a_preview_shows_a_folder_and_keeps_the_commit" {
  command         = plan
  expect_failures = [check.promotion] # the hold
  variables {
    preview = "tests/preview"
    hold    = true
    freezes = [{ from = "2020-01-01", to = "2999-01-01", timezone = "UTC", reason = "always" }]
  }
  assert {
    condition     = contains(keys(output.packages), "cloud/shop-checkout") && output.decision == "held"
    error_message = jsonencode(output.packages)
  }
}

# The branch stage of the fleet has the cluster type kiosk.
run "a_preview_has_the_objects_of_the_environment" {
  command = plan
  variables {
    fleet   = { repo = "file://${abspath("tests/repositories/made")}/fleet.git", path = "fleet", environment_branch = "stage" }
    preview = "tests/preview"
  }
  assert {
    condition     = contains(keys(output.packages), "cloud/shop-checkout") && contains(keys(output.packages), "kiosk/shop-checkout")
    error_message = jsonencode(output.packages)
  }
}
