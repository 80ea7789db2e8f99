locals {
  # A local, not managed resources. So Terraform can read the data source at plan.
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/**/*.yaml") : f => file("${path.module}/${f}")
  })
}

data "kalypso_assignments" "dev" {
  environment = "dev"
  manifests   = local.fleet
}

# A resource for each assignment. The keys, <cluster type>/<deployment target>, are known at plan.
resource "terraform_data" "namespace" {
  for_each = data.kalypso_assignments.dev.assignments
  input    = each.value.namespace
}

# Unused objects and probable mistakes.
output "left_over" {
  value = {
    unassigned_deployment_targets = data.kalypso_assignments.dev.unassigned_deployment_targets
    idle_cluster_types            = data.kalypso_assignments.dev.idle_cluster_types
    idle_scheduling_policies      = data.kalypso_assignments.dev.idle_scheduling_policies
    findings                      = [for f in data.kalypso_assignments.dev.findings : "${f.severity}: ${f.subject}: ${f.message}"]
  }
}
