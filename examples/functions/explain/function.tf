locals {
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/**/*.yaml") : f => file("${path.module}/${f}")
  })
}

# Why is reporting not placed on the store clusters? The answer has a reason for each policy.
output "why" {
  value = provider::kalypso::explain(local.fleet, "dev", "shop-reporting", "store").text
}
