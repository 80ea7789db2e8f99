locals {
  fleet = [for f in fileset("${path.module}/fleet", "**/*.yaml") : file("${path.module}/fleet/${f}")]
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
