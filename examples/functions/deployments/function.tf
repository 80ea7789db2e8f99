data "kalypso_deployments" "fleet" {
  branches {
    environment = "dev"
    repo        = "https://github.com/contoso/gitops"
    branch      = "dev"
  }
  branches {
    environment = "prod"
    repo        = "https://github.com/contoso/gitops"
    branch      = "prod"
  }
}

locals {
  fleet = provider::kalypso::deployments(data.kalypso_deployments.fleet)
}

# The version of the shop in each package.
output "shop" {
  value = { for key, p in local.fleet.packages : key => p.version if p.workload == "shop" }
}
