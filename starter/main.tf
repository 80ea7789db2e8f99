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

locals {
  environments = split("\n", trimspace(file("${path.module}/environments.txt")))
  texts = { for folder in concat(["common"], [for e in local.environments : "environments/${e}"]) :
    folder => { for f in fileset(path.module, "fleet/${folder}/**/*.yaml") : f => file("${path.module}/${f}") }
  }
}

# Follows the registrations of teams, if the fleet has any.
data "kalypso_control_plane" "fleet" {
  for_each        = toset(local.environments)
  environment     = each.key
  fleet_manifests = provider::kalypso::files(merge(local.texts.common, local.texts["environments/${each.key}"]))
}

locals {
  # A broken file of a team becomes a note, and is not the business of these tests.
  fleets   = { for e, fleet in data.kalypso_control_plane.fleet : e => [for m in fleet.manifests : m if !startswith(m, "# From kalypso_control_plane")] }
  findings = { for e, fleet in local.fleets : e => [for f in provider::kalypso::findings(fleet, e) : f if f.code != "REGISTRATION_NOT_FOLLOWED"] }

  # The environments in which an object of the common folder, or of another one, is idle.
  idle   = { for e, all in local.findings : e => [for f in all : f.subject if contains(["POLICY_IDLE", "CONFIG_UNUSED"], f.code)] }
  common = join("\n---\n", values(local.texts.common))
}

# The tests cannot call provider functions themselves, because OpenTofu does not allow this.
output "packages" {
  description = "The packages of each environment, as <cluster type>/<deployment target>."
  value       = { for e, fleet in local.fleets : e => keys(provider::kalypso::assignments(fleet, e)) }
}

output "findings" {
  description = "Probable mistakes in each environment, and what no environment uses."
  value = { for e, all in local.findings : e => [for f in all : f if f.severity != "info" || contains(local.idle[e], f.subject) && (
    alltrue([for subjects in values(local.idle) : contains(subjects, f.subject)]) || length(regexall("name: *${split("/", f.subject)[1]}\\b", local.common)) == 0
  )] }
}
