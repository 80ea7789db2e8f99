# stage gets a release that has worked in dev.
terraform {
  required_version = ">= 1.8"
  required_providers {
    kalypso = { source = "kalypso-gitops/kalypso", version = "~> 0.1.0" }
  }
}

module "environment" {
  source = "github.com/kalypso-gitops/terraform-provider-kalypso//modules/environment?ref=v0.1.0"

  environment = "stage"
  fleet       = { repo = local.repositories.fleet, path = "fleet" }
  folders     = ["common", "environments/stage"]
  gitops      = { repo = local.repositories.gitops }
  after       = jsondecode(file("${path.module}/../../promotion.json"))["stage"]
  max_removed = "1" # if clusters would lose more, the apply needs the code that its plan prints
  acknowledge = var.acknowledge
  on_error    = "keep" # "fail" if promotion is enforced
  fail_on     = ["TARGET_UNASSIGNED"]
}

variable "acknowledge" {
  type    = set(string)
  default = []
}

locals { repositories = jsondecode(file("${path.module}/../../repositories.json")) }

output "release" { value = module.environment.release }
