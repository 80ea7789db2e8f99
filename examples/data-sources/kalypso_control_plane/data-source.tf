# Reads the branch of the environment, the repositories of its BaseRepos (at their commits), and the
# registered workloads. A registration brings workloads in its workspace, and nothing else.
data "kalypso_control_plane" "dev" {
  repo        = "https://github.com/contoso/control-plane"
  branch      = "dev"
  environment = "dev"
}

# A control plane can also be beside the Terraform code.
data "kalypso_control_plane" "local" {
  directory   = "${path.module}/fleet"
  environment = "dev"
}

# A fleet in HCL or in your own files: the data source reads what its registrations and base
# repositories name.
data "kalypso_control_plane" "fleet" {
  fleet_manifests = local.fleet
  environment     = "dev"
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

# What was read: the commit of the BaseRepo "main", and those of the followed branches.
output "release" {
  value = data.kalypso_control_plane.dev.release
}
