# An environment in two waves: the stores first, then all other cluster types.

run "repositories" {
  module {
    source = "./tests/repositories"
  }
}

variables {
  environment = "dev"
  fleet       = { repo = "file://${abspath("tests/repositories/made")}/fleet.git", path = "fleet" }
  gitops      = { repo = "file://${abspath("tests/repositories/made")}/gitops.git" }
  manifests   = [file("tests/further.yaml")]
  files       = { "FLEET.md" = "# Fleet" }
  waves = [
    { name = "stores", cluster_types = ["store"], soak = "0s", checks_required = false },
    { name = "all others", cluster_types = null },
  ]
}

run "the_first_wave" {
  assert {
    condition     = output.waves["stores"].status == "in_sync" && output.waves["all others"].status == "held"
    error_message = jsonencode(output.waves)
  }
  assert {
    condition     = kalypso_gitops_commit.this["stores"].commit_message == "{environment} stores: {summary}"
    error_message = kalypso_gitops_commit.this["stores"].commit_message
  }
  assert {
    condition     = contains(keys(output.packages), "store/shop-checkout") && !contains(keys(output.packages), "kiosk/shop-checkout")
    error_message = jsonencode(output.packages)
  }
}

run "the_last_wave" {
  assert {
    condition     = output.waves["all others"].status == "in_sync" && contains(keys(output.packages), "kiosk/shop-checkout") && contains(keys(output.packages), "./FLEET.md")
    error_message = jsonencode(output.waves)
  }
}

run "nothing_is_left" {
  command = plan
  assert {
    condition     = output.decision == "up_to_date" && output.release.commit != null
    error_message = output.reason
  }
}

run "a_package_is_taken_off_a_wave" {
  command = plan
  variables {
    without     = ["store/shop-checkout"]
    allow_empty = true
  }
  assert {
    condition     = !contains(keys(output.packages), "store/shop-checkout") && contains(keys(output.packages), "kiosk/shop-checkout")
    error_message = jsonencode(output.packages)
  }
}
