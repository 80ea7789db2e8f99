locals {
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/**/*.yaml") : f => file("${path.module}/${f}")
  })
}

# Two commands write the fleet as HCL:
#
#   echo 'provider::kalypso::import_blocks(local.fleet)' | terraform console | sed '1d;$d' >imports.tf
#   terraform plan -generate-config-out=fleet.tf
output "import_blocks" {
  value = provider::kalypso::import_blocks(local.fleet)
}
