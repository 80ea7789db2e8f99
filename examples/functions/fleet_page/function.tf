data "kalypso_deployments" "fleet" {
  branch {
    environment = "dev"
    repo        = "https://github.com/contoso/gitops"
    branch      = "dev"
  }
  branch {
    environment = "prod"
    repo        = "https://github.com/contoso/gitops"
    branch      = "prod"
  }
}

# To write a file, run: terraform output -raw page > fleet.html
output "page" {
  value     = provider::kalypso::fleet_page(data.kalypso_deployments.fleet.json)
  sensitive = true # too long for a log
}
