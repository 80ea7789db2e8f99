# Templates that are tried before anything is written anywhere: two of examples/templates,
# and one that shows what templates see. Run
#
#   terraform init
#   terraform test

terraform {
  required_version = ">= 1.8"
  required_providers {
    kalypso = {
      source  = "kalypso-gitops/kalypso"
      version = ">= 0.1"
    }
  }
}

locals {
  library = "${path.module}/../templates"

  fleet = concat(
    [for f in fileset(path.module, "fleet/*.yaml") : file("${path.module}/${f}")],
    [for f in fileset(local.library, "{flux-kustomization,namespace}/{template,schema}.yaml") : file("${local.library}/${f}")],
    [file("${local.library}/platform-config/schema.yaml")],
  )

  files    = provider::kalypso::render(local.fleet, "prod")
  findings = provider::kalypso::findings(local.fleet, "prod")
}

# For the tests, since OpenTofu cannot call functions of a provider there.
output "files" {
  description = "What would be written, by path."
  value       = local.files
}

output "findings" {
  description = "What is left over, or probably a mistake."
  value       = local.findings
}
