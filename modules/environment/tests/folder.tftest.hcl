# A folder is not promoted. Inputs that would have no effect are errors.

run "repositories" {
  module {
    source = "./tests/repositories"
  }
}

variables {
  environment = "dev"
  fleet       = { directory = "tests/fleet" }
  gitops      = { repo = "file://${abspath("tests/repositories/made")}/gitops.git", branch = "somewhere", path = "else" }
  after       = {}
}

run "a_folder_is_written" {
  assert {
    condition     = endswith(kalypso_gitops_commit.this.id, "/gitops.git#somewhere:else") && output.status == "in_sync"
    error_message = kalypso_gitops_commit.this.id
  }
  assert {
    condition     = output.commit == null && output.decision == null && length(output.candidates) == 0
    error_message = "Something is promoted."
  }
}

run "further_objects_are_written" {
  command = plan
  variables {
    manifests = [file("tests/further.yaml")]
    limits    = { max_removed = "10%", protect = ["*/shop-*"] }
  }
  assert {
    condition     = kalypso_gitops_commit.this.limits.max_removed == "10%" && length(kalypso_gitops_commit.this.limits.protect) == 1
    error_message = "The limits are not set."
  }
  assert {
    condition     = contains(keys(output.packages), "kiosk/shop-checkout") && contains(keys(output.packages), "store/shop-checkout")
    error_message = jsonencode(output.packages)
  }
}

run "a_misspelled_limit" {
  command = plan
  variables {
    limits = { max_remove = "10%" }
  }
  expect_failures = [var.limits]
}

run "a_misspelled_setting_of_the_review" {
  command = plan
  variables {
    review = { reviewer = ["ann"] }
  }
  expect_failures = [var.review]
}

run "two_fleets" {
  command = plan
  variables {
    fleet = { directory = "tests/fleet", repo = "file:///unset" }
  }
  expect_failures = [var.fleet]
}

run "a_branch_of_a_folder" {
  command = plan
  variables {
    fleet = { directory = "tests/fleet", environment_branch = "dev" }
  }
  expect_failures = [var.fleet]
}

run "a_folder_after_an_environment" {
  command = plan
  variables {
    after = { dev = { checks = [], soak = "0s" } }
  }
  expect_failures = [kalypso_gitops_commit.this]
}

run "a_freeze_of_a_folder" {
  command = plan
  variables {
    freezes = [{ from = "2020-01-01", to = "2999-12-31", timezone = "UTC", reason = "the end of the year" }]
  }
  assert {
    condition     = kalypso_gitops_commit.this.freeze[0].reason == "the end of the year"
    error_message = "The commit has no freeze."
  }
}
