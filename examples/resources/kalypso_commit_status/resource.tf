# Tells the control plane's commit that the environment "stage" has verified it. When "prod" has
# the commit, the next plan removes the resource. The status stays.
resource "kalypso_commit_status" "verified" {
  for_each = toset([for c in data.kalypso_promotion.prod.candidates : c.release.commit if c.state == "verified"])

  repo        = "https://github.com/contoso/control-plane"
  commit      = each.key
  context     = "kalypso/stage"
  state       = "success"
  description = "verified in stage"
}

data "kalypso_promotion" "prod" {
  environment = "prod"
  target {
    repo   = "https://github.com/contoso/gitops"
    branch = "prod"
  }
  after {
    environment = "stage"
    repo        = "https://github.com/contoso/gitops"
    branch      = "stage"
    check {
      context = "kalypso/stage/*"
    }
  }
}

# Tells the commits of an application that their packages run in "prod".
resource "kalypso_commit_status" "shop" {
  for_each = local.health

  repo    = local.shop # not from kalypso_deployments: see repo below
  commit  = each.key
  context = "fleet/prod"
  state = contains(each.value, "failure") ? "failure" : (
    alltrue([for health in each.value : health == "success"]) ? "success" : "pending"
  )
  description = "in ${length(each.value)} packages"
}

locals {
  shop  = "https://github.com/contoso/shop"
  fleet = jsondecode(data.kalypso_deployments.fleet.json)

  # The health of the packages in prod, by the commit of the application that their templates name.
  health = {
    for found in flatten([
      for package in flatten(local.fleet.environments[*].packages) : [
        for source in package.sources : { commit = source.ref, health = coalesce(package.health, "pending") }
        if source.repo == local.shop && can(regex("^[0-9a-f]{40}$", source.ref))
      ]
    ]) : found.commit => found.health...
  }
}

data "kalypso_deployments" "fleet" {
  branch {
    environment = "prod"
    repo        = "https://github.com/contoso/gitops"
    branch      = "prod"
  }
}
