# Reads the branch of the environment, the repositories of its BaseRepos (at their commits),
# and the registered workloads.
data "kalypso_control_plane" "dev" {
  repo        = "https://github.com/contoso/control-plane"
  branch      = "dev"
  environment = "dev"

  # The search team brings workloads of its workspace, under its names, and nothing else.
  allow {
    source     = "WorkloadRegistration/search"
    kinds      = ["Workload"]
    workspaces = ["search"]
    names      = ["search", "search-*"]
  }
}

# A control plane can also be beside the Terraform code. The data source follows the
# repositories that its objects name, unless follow says otherwise.
data "kalypso_control_plane" "local" {
  directory   = "${path.module}/fleet"
  environment = "dev"
  follow      = ["workload_registrations"]
}

# For a fleet in HCL or in your own files, the data source follows the registrations. It
# also follows the base repositories, unless follow says otherwise.
data "kalypso_control_plane" "fleet" {
  fleet_manifests = local.fleet
  environment     = "dev"
  follow          = ["workload_registrations"]
}

locals {
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/**/*.yaml") : f => file("${path.module}/${f}")
  })
}

# Other resources and functions take the manifests of the data source.
data "kalypso_assignments" "dev" {
  environment = data.kalypso_control_plane.dev.environment
  manifests   = data.kalypso_control_plane.dev.manifests
}

output "assignments" {
  value = { for key, a in data.kalypso_assignments.dev.assignments : key => a.policies }
}

# The followed branches, each with the commit that was read.
output "sources" {
  value = data.kalypso_control_plane.dev.sources
}
