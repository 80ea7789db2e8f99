locals {
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/**/*.yaml") : f => file("${path.module}/${f}")
  })
}

locals {
  files = provider::kalypso::render(local.fleet, "dev")
}

output "paths" {
  value = keys(local.files)
}

output "checkout_namespace" {
  value = yamldecode(local.files["store/shop-checkout/namespace.yaml"]).metadata.name
}
