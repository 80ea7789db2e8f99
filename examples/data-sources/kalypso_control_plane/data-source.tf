# The branch of the environment, what its BaseRepos point to (at their commits),
# and the workloads that are registered there.
data "kalypso_control_plane" "dev" {
  repo        = "https://github.com/contoso/control-plane"
  branch      = "dev"
  environment = "dev"
}

# A control plane may live beside the Terraform code as well. What its objects
# point to is followed too, unless follow says otherwise.
data "kalypso_control_plane" "local" {
  directory   = "${path.module}/fleet"
  environment = "dev"
  follow      = ["workload_registrations"]
}

# Of a fleet in HCL or in files of your own, the registrations are followed and, unless
# follow says otherwise, the base repositories.
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

# What it gives is what the other objects take.
data "kalypso_assignments" "dev" {
  environment = data.kalypso_control_plane.dev.environment
  manifests   = data.kalypso_control_plane.dev.manifests
}

output "assignments" {
  value = { for key, a in data.kalypso_assignments.dev.assignments : key => a.policies }
}

# What was read, and why.
output "sources" {
  value = { for s in data.kalypso_control_plane.dev.sources : "${s.repo}#${s.branch}:${s.path}" => "${s.commit}: ${join(", ", s.reasons)}" }
}
