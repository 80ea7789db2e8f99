locals {
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/**/*.yaml") : f => file("${path.module}/${f}")
  })
}

# Why is shop-reporting not on the cluster type store? The text has the reason of each policy.
output "why" {
  value = provider::kalypso::explain(local.fleet, "dev", "shop-reporting", "store").text
}
