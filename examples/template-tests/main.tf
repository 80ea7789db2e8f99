# Tests templates without an apply: two templates of examples/templates, and a template that
# shows the data for templates. Run
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

# For the tests, because OpenTofu cannot call provider functions in tests.
output "files" {
  description = "The files that an apply would write, by path."
  value       = local.files
}

output "findings" {
  description = "Objects without effect, and probable mistakes."
  value       = local.findings
}
