locals {
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/**/*.yaml") : f => file("${path.module}/${f}")
  })
}

# Each plan warns if an application would run on no cluster type.
check "nothing_is_left_over" {
  assert {
    condition     = !contains(provider::kalypso::findings(local.fleet, "dev")[*].code, "TARGET_UNASSIGNED")
    error_message = join("\n", provider::kalypso::findings(local.fleet, "dev")[*].message)
  }
}

output "findings" {
  value = [for f in provider::kalypso::findings(local.fleet, "dev") : "${f.severity}: ${f.message}"]
}
