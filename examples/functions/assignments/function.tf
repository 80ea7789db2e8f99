locals {
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/**/*.yaml") : f => file("${path.module}/${f}")
  })
}

# <cluster type>/<deployment target> => the policies that select this pair.
output "assignments" {
  value = { for key, a in provider::kalypso::assignments(local.fleet, "dev") : key => a.policies }
}

# Each plan checks this rule of the company.
check "checkout_stays_in_the_store" {
  assert {
    condition = alltrue([
      for a in provider::kalypso::assignments(local.fleet, "dev") : a.cluster_type == "store" if a.deployment_target == "shop-checkout"
    ])
    error_message = "shop-checkout may run in stores only."
  }
}
