locals {
  # The fleet as manifests: from YAML files as here, from the modelling
  # resources, or from both.
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/**/*.yaml") : f => file("${path.module}/${f}")
  })
}

# Writes the fleet's environment "dev". Without repo and branch, those of the
# GitOpsRepo in the manifests count.
resource "kalypso_gitops_commit" "dev" {
  environment = "dev"
  manifests   = local.fleet
  repo        = "https://github.com/contoso/gitops"
  branch      = "dev"
  path        = "."
}
