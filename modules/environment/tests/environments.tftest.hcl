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

# The reports are replaced, so nothing is known about the releases before the apply.
run "no_environment_changes" {
  module {
    source = "./tests/environments"
  }
  variables {
    repositories = run.repositories
    environments = ["dev", "stage", "prod"]
    report       = "second"
  }
  assert {
    condition     = alltrue([for name, wave in output.waves : wave.status == "in_sync"]) && length(distinct(values(output.release)[*].commit)) == 1
    error_message = jsonencode(output.waves)
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
