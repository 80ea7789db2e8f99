locals {
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/**/*.yaml") : f => file("${path.module}/${f}")
  })
  imports = provider::kalypso::import_blocks(local.fleet)
}

# Two commands write the fleet as HCL:
#
#   echo local.imports | terraform console | sed '1d;$d' >imports.tf
#   terraform plan -generate-config-out=fleet.tf
