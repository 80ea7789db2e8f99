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
  max_removed = "10%"
  max_changed = "10%"
  acknowledge = var.acknowledge
  on_error    = "keep"
  fail_on     = ["TARGET_UNASSIGNED", "POLICY_IDLE"]
}

variable "acknowledge" {
  type    = set(string)
  default = []
}

locals { repositories = jsondecode(file("${path.module}/../../repositories.json")) }

output "release" { value = module.environment.release }
