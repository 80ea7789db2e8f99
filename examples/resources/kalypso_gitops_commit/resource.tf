locals {
  # The fleet as manifests: from YAML files as here, from the resources that model a fleet,
  # or from both.
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/**/*.yaml") : f => file("${path.module}/${f}")
  })
}

# Writes the environment "dev" of the fleet. Without repo and branch, the resource uses the
# GitOpsRepo in the manifests.
resource "kalypso_gitops_commit" "dev" {
  environment = "dev"
  manifests   = local.fleet
  repo        = "https://github.com/contoso/gitops"
  branch      = "dev"
  path        = "."
}
