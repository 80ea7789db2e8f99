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
}

run "a_folder_is_written" {
  assert {
    condition     = endswith(kalypso_gitops_commit.this["all"].id, "/gitops.git#somewhere:else") && output.waves.all.status == "in_sync"
    error_message = kalypso_gitops_commit.this["all"].id
  }
  assert {
    condition     = output.release.commit == null && output.decision == null && length(output.candidates) == 0
    error_message = "Something is promoted."
  }
}

run "further_objects_are_written" {
  command = plan
  variables {
    manifests = [file("tests/further.yaml")]
  }
  assert {
    condition     = contains(keys(output.packages), "kiosk/shop-checkout") && contains(keys(output.packages), "store/shop-checkout")
    error_message = jsonencode(output.packages)
  }
}

run "a_misspelled_key" {
  command = plan
  variables {
    gitops = { repo = "file:///unset", brnch = "dev" }
  }
  expect_failures = [var.gitops]
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
    after = { dev = { checks_required = false, soak = "0s" } }
  }
  expect_failures = [kalypso_gitops_commit.this]
}
