# The environment before the tested one.
variable "repositories" {
  type = object({ fleet = string, gitops = string })
}

module "dev" {
  source = "../.."

  environment = "dev"
  fleet       = { repo = var.repositories.fleet, path = "fleet" }
  gitops      = { repo = var.repositories.gitops }
  after       = {}
}

output "commit" {
  value = module.dev.commit
}
