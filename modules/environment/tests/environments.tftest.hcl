# Three environments in one configuration, of which no release exists yet.

run "repositories" {
  module {
    source = "./tests/repositories"
  }
}

# The reports are known only after the first apply, so the releases are too.
run "only_the_first_environment_is_written" {
  module {
    source = "./tests/environments"
  }
  variables {
    repositories = run.repositories
    environments = ["dev", "stage", "prod"]
  }
  assert {
    condition     = output.waves.dev.status == "in_sync" && output.waves.stage.status == "held" && output.waves.prod.status == "held"
    error_message = jsonencode(output.waves)
  }
}

run "one_of_them_is_applied" {
  module {
    source = "./tests/environments"
  }
  variables {
    repositories = run.repositories
    environments = ["dev", "stage", "prod"]
  }
  plan_options {
    target = [module.environment["stage"]]
  }
  assert {
    condition     = output.waves.stage.status == "in_sync" && output.release.stage == output.release.dev
    error_message = jsonencode(output.waves)
  }
}

run "nothing_is_known_about_the_release" {
  command = plan
  module {
    source = "./tests/environments"
  }
  variables {
    repositories = run.repositories
    environments = ["dev", "stage", "prod"]
    report       = "second"
  }
}

run "the_control_plane_is_gone" {
  module {
    source = "./tests/git"
  }
  variables {
    commands = "rm -rf fleet.git"
  }
}

run "the_environments_are_destroyed" {
  module {
    source = "./tests/environments"
  }
  variables {
    repositories = run.repositories
    environments = []
  }
  assert {
    condition     = length(output.waves) == 0
    error_message = jsonencode(output.waves)
  }
}
