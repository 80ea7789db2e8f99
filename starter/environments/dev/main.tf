# The first environment. It gets each commit of main.
terraform {
  required_version = ">= 1.8"
  required_providers {
    kalypso = { source = "kalypso-gitops/kalypso", version = "~> 0.1.0" }
  }
}

module "environment" {
  source = "github.com/kalypso-gitops/terraform-provider-kalypso//modules/environment?ref=v0.1.0"

  environment = "dev"
  fleet       = { repo = local.repositories.fleet, path = "fleet" }
  folders     = ["common", "environments/dev"]
  gitops      = { repo = local.repositories.gitops }
  preview     = var.preview
  max_removed = "50%"
}

variable "preview" { default = null }

locals { repositories = jsondecode(file("${path.module}/../../repositories.json")) }

output "release" { value = module.environment.release }
