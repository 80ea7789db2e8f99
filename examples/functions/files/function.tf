locals {
  # Messages about these manifests name the file and the line.
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/**/*.yaml") : f => file("${path.module}/${f}")
  })
}

output "first_line" {
  value = split("\n", local.fleet[0])[0] # # Source: fleet/base-repo.yaml
}
