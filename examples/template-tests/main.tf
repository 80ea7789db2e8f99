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
  copied  = setunion(fileset(local.library, "{flux-kustomization,namespace}/{template,schema}.yaml"), ["platform-config/schema.yaml"])

  fleet = concat(
    provider::kalypso::files({ for f in fileset(path.module, "fleet/*.yaml") : f => file("${path.module}/${f}") }),
    provider::kalypso::files({ for f in local.copied : f => file("${local.library}/${f}") }),
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
