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

# To write the summary of a job, run: terraform output -raw summary >> "$GITHUB_STEP_SUMMARY"
output "summary" {
  value     = provider::kalypso::fleet_markdown(data.kalypso_deployments.fleet)
  sensitive = true # too long for a log
}

# The summary of one environment alone.
output "prod" {
  value = provider::kalypso::fleet_markdown(merge(data.kalypso_deployments.fleet, {
    environments = { prod = data.kalypso_deployments.fleet.environments.prod }
  }))
  sensitive = true
}
