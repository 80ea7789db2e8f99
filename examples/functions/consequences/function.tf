locals {
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/**/*.yaml") : f => file("${path.module}/${f}")
  })
  # The folder main is a checkout of the branch that the change is for.
  before = provider::kalypso::files({
    for f in fileset("${path.module}/main", "fleet/**/*.yaml") : f => file("${path.module}/main/${f}")
  })
}

check "nothing_is_deleted" {
  assert {
    condition     = !contains(provider::kalypso::consequences(local.before, local.fleet, "dev")[*].code, "CHANGE_DELETES")
    error_message = join("\n", provider::kalypso::consequences(local.before, local.fleet, "dev")[*].message)
  }
}
