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
  max_removed = "1" # if clusters would lose more, the apply needs the code that its plan prints
  acknowledge = var.acknowledge
  on_error    = "keep" # a mistake of one team stops no other team
  fail_on     = ["TARGET_UNASSIGNED"]
}

variable "acknowledge" {
  type    = set(string)
  default = []
}

locals { repositories = jsondecode(file("${path.module}/../../repositories.json")) }

output "release" { value = module.environment.release }
