# Placements as in other tools, all on the same fleet. Each file in the folder placements,
# and each other .tf file, shows one way of another tool.
#
#   echo 'local.placed["spread"]' | terraform console

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

  # For each way: the manifests that it adds to the fleet.
  ways = merge(
    { for f in fileset(path.module, "placements/*.yaml") : trimsuffix(basename(f), ".yaml") => provider::kalypso::files({ (f) = file("${path.module}/${f}") }) },
    { first-match = local.first_match, fallback = local.fallback, generators = local.generators },
  )

  # For each way and deployment target: the cluster types of the target.
  placed = {
    for way, manifests in local.ways : way => {
      for a in values(provider::kalypso::assignments(concat(local.fleet, manifests), "prod")) : a.deployment_target => a.cluster_type...
    }
  }

  # For each way and cluster type: the answer of the placement about the shop.
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
