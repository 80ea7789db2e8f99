locals {
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/**/*.yaml") : f => file("${path.module}/${f}")
  })
}

locals {
  config = provider::kalypso::effective_config(local.fleet, "dev", "shop-checkout", "store")
}

output "values" {
  value = local.config.values
}

# QUEUE = "local (set by store-config, overrode region-north)"
output "where_from" {
  value = {
    for path, p in local.config.provenance :
    path => "${p.value} (set by ${join(", overrode ", concat([p.set_by], p.overrode))})"
  }
}
