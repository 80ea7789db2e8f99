# Answers questions about the fleet, for the tests in the folder tests: terraform test
terraform {
  required_version = ">= 1.8"
  required_providers {
    kalypso = {
      source  = "kalypso-gitops/kalypso"
      version = "~> 0.1.0"
    }
  }
}

variable "base" {
  description = "A folder with the fleet of main, with which ci/test.sh compares."
  type        = string
  default     = null
}

locals {
  environments = split("\n", trimspace(file("${path.module}/environments.txt")))
  texts = { for name, root in { here = path.module, base = var.base } : name => {
    for folder in concat(["common"], [for e in local.environments : "environments/${e}"]) :
    folder => { for f in fileset(root, "fleet/${folder}/**/*.yaml") : f => file("${root}/${f}") }
  } if root != null }
  written = { for pair in setproduct(keys(local.texts), local.environments) : join(" ", pair) =>
    provider::kalypso::files(merge(local.texts[pair[0]].common, local.texts[pair[0]]["environments/${pair[1]}"]))
  }
}

# Follows the registrations of teams, if the fleet has any.
data "kalypso_control_plane" "fleet" {
  for_each        = local.written
  environment     = split(" ", each.key)[1]
  fleet_manifests = each.value
}

locals {
  # A broken file of a team becomes a note, and is not the business of these tests: left_out has it.
  read     = { for name, fleet in data.kalypso_control_plane.fleet : name => [for m in fleet.manifests : m if !startswith(m, "# From kalypso_control_plane")] }
  fleets   = { for e in local.environments : e => local.read["here ${e}"] }
  findings = { for e, fleet in local.fleets : e => [for f in provider::kalypso::findings(fleet, e) : f if f.code != "REGISTRATION_NOT_FOLLOWED"] }

  # The environments in which an object of the common folder, or of another one, is idle.
  idle   = { for e, all in local.findings : e => [for f in all : f.subject if contains(["POLICY_IDLE", "CONFIG_UNUSED"], f.code)] }
  common = join("\n---\n", values(local.texts.here.common))
}

# The tests cannot call provider functions themselves, because OpenTofu does not allow this.
output "packages" {
  description = "The packages of each environment, as <cluster type>/<deployment target>."
  value       = { for e, fleet in local.fleets : e => keys(provider::kalypso::assignments(fleet, e)) }
}

output "left_out" {
  description = "The broken files of teams. Without their workloads, other rules may fail."
  value = distinct(flatten([for m in flatten([for fleet in data.kalypso_control_plane.fleet : fleet.manifests]) :
    [for p in yamldecode(m).spec.problems : "${yamldecode(m).metadata.name}: ${p.detail}"] if startswith(m, "# From kalypso_control_plane")
  ]))
}

output "consequences" {
  description = "What clusters do in each environment if the fleet takes the place of that in base."
  value       = { for e, fleet in local.fleets : e => var.base == null ? [] : provider::kalypso::consequences(local.read["base ${e}"], fleet, e) }
}

output "findings" {
  description = "Probable mistakes in each environment, and what no environment uses."
  value = { for e, all in local.findings : e => [for f in all : f if f.severity != "info" || contains(local.idle[e], f.subject) && (
    alltrue([for subjects in values(local.idle) : contains(subjects, f.subject)]) || length(regexall("name: *${split("/", f.subject)[1]}\\b", local.common)) == 0
  )] }
}
