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
  after       = { dev = { checks_required = false, soak = "0s" } }
  on_destroy  = "empty"
}

# A new environment cannot write something that did not work before.
run "stage_is_on_hold_before_dev" {
  assert {
    condition     = output.decision == "nothing" && output.release.commit == null
    error_message = output.reason
  }
  assert {
    condition     = output.waves.all.status == "held" && length(output.packages) == 0
    error_message = jsonencode(output.waves)
  }
}

run "a_preview_needs_no_release" {
  command = plan
  variables {
    preview = { fleet = "tests/preview", gitops = "file://${abspath("tests/repositories/made")}/preview.git" }
  }
  assert {
    condition     = contains(keys(output.packages), "cloud/shop-checkout") && output.release.commit == null
    error_message = jsonencode(output.packages)
  }
}

run "dev" {
  module {
    source = "./tests/environments"
  }
  variables {
    repositories = run.repositories
  }
}

run "stage_gets_the_release_of_dev" {
  assert {
    condition     = output.release.commit != null && output.decision == "promote" && output.waves.all.status == "in_sync"
    error_message = "${output.decision} ${coalesce(output.release.commit, "nothing")}: ${output.reason}"
  }
  assert {
    condition     = contains(keys(output.packages), "store/shop-checkout") && strcontains(output.waves.all.summary, "+1 ~0 -0 packages")
    error_message = output.waves.all.summary
  }
}

run "a_change_is_merged" {
  module {
    source = "./tests/git"
  }
  variables {
    commands = <<-EOT
      export GIT_DIR=$PWD/fleet.git GIT_WORK_TREE=$PWD/tree
      cd tree
      sed 's#path: [^}]*#path: ./second#' fleet/shop.yaml >edited && mv edited fleet/shop.yaml
      git commit --quiet --all --message 'Move the checkout'
    EOT
  }
}

run "stage_waits_for_dev" {
  command = plan
  assert {
    condition     = output.decision == "up_to_date" && output.release.commit != null
    error_message = output.reason
  }
}

run "dev_gets_the_change" {
  module {
    source = "./tests/environments"
  }
  variables {
    repositories = run.repositories
  }
}

run "hold_keeps_stage_at_its_release" {
  command = plan
  variables {
    hold = true
  }
  assert {
    condition     = output.decision == "held" && output.release.commit != null && kalypso_gitops_commit.this["all"].hold
    error_message = output.reason
  }
}

run "stage_gets_the_change" {
  assert {
    condition     = output.release.commit != null && strcontains(output.waves.all.summary, "+0 ~1 -0 packages")
    error_message = "${output.reason} ${output.waves.all.summary}"
  }
}

# The folder has the cluster type cloud, and the branch stage of the fleet has kiosk. Neither hold nor a freeze stops a preview.
run "a_preview_has_a_folder_and_the_objects_of_the_environment" {
  command = plan
  variables {
    fleet   = { repo = "file://${abspath("tests/repositories/made")}/fleet.git", path = "fleet", environment_branch = "stage" }
    preview = { fleet = "tests/preview", gitops = "file://${abspath("tests/repositories/made")}/preview.git" }
    hold    = true
    freeze  = [{ from = "2020-01-01", to = "2999-01-01", timezone = "UTC", reason = "always" }]
  }
  assert {
    condition     = contains(keys(output.packages), "cloud/shop-checkout") && contains(keys(output.packages), "kiosk/shop-checkout")
    error_message = jsonencode(output.packages)
  }
  assert {
    condition     = endswith(kalypso_gitops_commit.this["all"].repo, "/preview.git") && length(data.kalypso_promotion.this) == 0
    error_message = kalypso_gitops_commit.this["all"].repo
  }
}

run "a_preview_is_not_written_to_a_host" {
  command = plan
  variables {
    preview = { fleet = "tests/preview", gitops = "https://github.com/contoso/gitops" }
  }
  expect_failures = [var.preview]
}

run "a_package_is_taken_off" {
  command = plan
  variables {
    manifests = [file("tests/further.yaml")]
    without   = ["store/shop-checkout"]
  }
  assert {
    condition     = !contains(keys(output.packages), "store/shop-checkout") && contains(keys(output.packages), "kiosk/shop-checkout")
    error_message = jsonencode(output.packages)
  }
}

run "the_records_are_removed" {
  module {
    source = "./tests/git"
  }
  variables {
    commands = <<-EOT
      for branch in dev stage; do
        git clone --quiet --branch "$branch" gitops.git "$branch-clone"
        git -C "$branch-clone" rm --quiet -r .kalypso .github
        git -C "$branch-clone" commit --quiet --message 'Remove the records'
        git -C "$branch-clone" push --quiet
      done
    EOT
  }
}

# With on_destroy = "empty", a destroy would uninstall the environment.
run "nothing_is_destroyed" {
  command = plan
  assert {
    condition     = output.decision == "nothing" && output.release.commit == null && kalypso_gitops_commit.this["all"].hold
    error_message = output.reason
  }
}
