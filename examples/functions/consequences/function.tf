locals {
  fleets = { for folder in ["main", "fleet"] : folder => provider::kalypso::files({
    for f in fileset("${path.module}/${folder}", "**/*.yaml") : f => file("${path.module}/${folder}/${f}")
  }) }
}

# main is a checkout of the branch that the change is for.
check "nothing_is_deleted" {
  assert {
    condition     = !contains(provider::kalypso::consequences(local.fleets.main, local.fleets.fleet, "dev")[*].code, "CHANGE_DELETES")
    error_message = join("\n", provider::kalypso::consequences(local.fleets.main, local.fleets.fleet, "dev")[*].message)
  }
}
