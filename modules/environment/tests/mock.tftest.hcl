# Tests of a configuration that calls the module need no repositories: the provider is a mock, and the overrides say
# which release, objects and packages there are. The root module has to name the provider in required_providers.
mock_provider "kalypso" {
  mock_data "kalypso_promotion" {
    defaults = { release = { commit = "1111111111111111111111111111111111111111", sources = {} }, decision = "promote" }
  }
  mock_data "kalypso_control_plane" {
    defaults = { manifests = ["kind: ClusterType\nmetadata: {name: store}"] }
  }
  mock_resource "kalypso_gitops_commit" {
    defaults = { status = "in_sync", packages = { "store/shop-checkout" = "digest" } }
  }
}

variables {
  environment = "stage"
  fleet       = { repo = "https://github.com/contoso/fleet" }
  gitops      = { repo = "https://github.com/contoso/gitops" }
  after       = { dev = { checks_required = false, soak = "0s" } }
}

run "with_overrides" {
  assert {
    condition     = output.waves.all.status == "in_sync" && keys(output.packages) == tolist(["store/shop-checkout"])
    error_message = jsonencode(output.waves)
  }
  assert {
    condition     = output.decision == "promote" && output.release.commit == "1111111111111111111111111111111111111111"
    error_message = jsonencode(output.release)
  }
}

run "nothing_is_promoted" {
  override_data {
    target = data.kalypso_promotion.this
    values = { release = { commit = null, sources = {} }, decision = "nothing" }
  }
  assert {
    condition     = kalypso_gitops_commit.this["all"].hold && output.release.commit == null
    error_message = jsonencode(output.release)
  }
}
