locals {
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/**/*.yaml") : f => file("${path.module}/${f}")
  })
}

# Why is reporting not on the clusters in the stores? The answer has the reason of each policy.
output "why" {
  value = provider::kalypso::explain(local.fleet, "dev", "shop-reporting", "store").text
}
