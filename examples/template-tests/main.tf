# Tests of templates, which write nothing: two templates of examples/templates, and a
# template that shows the data of templates. Run
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

# The tests use these outputs, because tests of OpenTofu cannot call functions of a provider.
output "files" {
  description = "What would be written, by path."
  value       = local.files
}

output "findings" {
  description = "Probable mistakes and unused objects."
  value       = local.findings
}
