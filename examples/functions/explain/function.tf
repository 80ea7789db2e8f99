locals {
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/**/*.yaml") : f => file("${path.module}/${f}")
  })
}

# Why is reporting not on the clusters in the stores? What each policy says about it.
output "why" {
  value = provider::kalypso::explain(local.fleet, "dev", "shop-reporting", "store").text
}
