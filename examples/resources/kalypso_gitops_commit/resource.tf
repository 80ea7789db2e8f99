locals {
  # The manifests of the fleet come from YAML files, from the modelling
  # resources, or from both.
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/**/*.yaml") : f => file("${path.module}/${f}")
  })
}

# Writes the environment "dev" of the fleet. Without repo and branch, the GitOpsRepo
# in the manifests counts.
resource "kalypso_gitops_commit" "dev" {
  environment = "dev"
  manifests   = local.fleet
  repo        = "https://github.com/contoso/gitops"
  branch      = "dev"
  path        = "."
}
