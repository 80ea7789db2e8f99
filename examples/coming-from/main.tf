# The placement rules of other tools, written for this provider. Each file of the folder
# placements, and each of the other .tf files, has one rule. All rules use the same fleet.
#
#   echo 'local.placed["regions"]' | terraform console

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
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/*.yaml") : f => file("${path.module}/${f}")
  })

  # The manifests of each rule, which are added to the fleet.
  ways = merge(
    { for f in fileset(path.module, "placements/*.yaml") : trimsuffix(basename(f), ".yaml") => provider::kalypso::files({ (f) = file("${path.module}/${f}") }) },
    { first-match = local.first_match, fallback = local.fallback, generators = local.generators },
  )

  # The cluster types of each deployment target, by rule.
  placed = {
    for way, manifests in local.ways : way => {
      for a in values(provider::kalypso::assignments(concat(local.fleet, manifests), "prod")) : a.deployment_target => a.cluster_type...
    }
  }

  # The reasons of the placement for the shop on each cluster type, by rule.
  said = {
    for way, policy in { exclusions = "production", pick = "pick-n" } : way => {
      for cluster_type in ["austin", "munich", "paris"] : cluster_type => [
        for s in provider::kalypso::explain(concat(local.fleet, local.ways[way]), "prod", "shop-live", cluster_type).steps :
        "${s.code}: ${s.requirement}, found ${s.found}" if s.policy == policy && s.stage == "placement"
      ]
    }
  }
}

output "placed" {
  value = local.placed
}
