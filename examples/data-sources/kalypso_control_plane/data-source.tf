# Reads the branch of the environment, the repositories of its BaseRepos (at their commits),
# and the registered workloads. Without release, it reads the heads.
data "kalypso_control_plane" "dev" {
  repo        = "https://github.com/contoso/control-plane"
  branch      = "dev"
  environment = "dev"
}

# A control plane can also be beside the Terraform code. The data source follows the
# repositories that its objects name.
data "kalypso_control_plane" "local" {
  directory   = "${path.module}/control-plane"
  environment = "dev"
}

# For a fleet in HCL or in your own files, the data source follows the registrations and base
# repositories. Such a fleet names its release itself.
data "kalypso_control_plane" "fleet" {
  fleet_manifests = local.fleet
  environment     = "dev"
  release         = { commit = "v1.4.0", sources = {} }
}

locals {
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/**/*.yaml") : f => file("${path.module}/${f}")
  })
}

# The resource takes the manifests, and keeps the release in its record: the commits that were
# read.
resource "kalypso_gitops_commit" "dev" {
  environment = "dev"
  manifests   = data.kalypso_control_plane.dev.manifests
  release     = data.kalypso_control_plane.dev.read_release
  repo        = "https://github.com/contoso/gitops"
  branch      = "dev"
}
