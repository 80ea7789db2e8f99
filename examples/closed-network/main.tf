# A fleet for networks without a forge: beside the packages, the branch has a folder for each
# cluster type with what Zarf and the clusters need.
terraform {
  required_version = ">= 1.8"
  required_providers {
    kalypso = {
      source  = "kalypso-gitops/kalypso"
      version = ">= 0.1"
    }
  }
}

variable "gitops_repo" {
  description = "URL of the GitOps repository. By default a bare repository in this folder: git init --bare gitops.git"
  type        = string
  default     = null
}

variable "registry" {
  description = "Where the artifacts of the branch are, without a protocol."
  type        = string
  default     = "registry.contoso.com/platform"
}

locals {
  templates = "${path.module}/../templates"

  fleet = concat(
    provider::kalypso::files({ for f in fileset(path.module, "fleet/**/*.yaml") : f => file("${path.module}/${f}") }),
    provider::kalypso::files({ for f in ["flux-ocirepository", "namespace", "platform-config"] : f => file("${local.templates}/${f}/template.yaml") }),
  )

  # What a deployment target pulls: its manifests, and the images in them.
  workloads = [for f in fileset(path.module, "fleet/workloads/*.yaml") : yamldecode(file("${path.module}/${f}"))]
  images = merge([for w in local.workloads : { for t in w.spec.deploymentTargets :
    "${w.metadata.name}-${t.name}" => concat(["${trimprefix(t.manifests.repo, "oci://")}:${t.manifests.tag}"], split(" ", t.manifests.images))
    if try(t.environment, "dev") == "dev"
  }]...)

  # <cluster type> => the deployment targets on it
  targets = { for a in provider::kalypso::assignments(local.fleet, "dev") : a.cluster_type => a.deployment_target... }
}

resource "kalypso_gitops_commit" "dev" {
  environment = "dev"
  manifests   = local.fleet
  repo        = coalesce(var.gitops_repo, "file://${abspath("${path.module}/gitops.git")}")
  branch      = "dev"

  files = merge([for type, targets in local.targets : {
    "zarf/${type}/flux.yaml" = templatefile("${path.module}/flux.yaml.tftpl", { registry = var.registry, environment = "dev", type = type })
    "zarf/${type}/zarf.yaml" = yamlencode({
      apiVersion = "zarf.dev/v1alpha1"
      kind       = "ZarfPackageConfig"
      metadata   = { name = "dev-${type}", version = "###ZARF_PKG_TMPL_COMMIT###" }
      components = concat(
        [for target in targets : { name = target, required = true, images = local.images[target] }],
        [{
          name     = "gitops"
          required = true
          images = [ # the artifact of the branch, and its signature
            "${var.registry}/gitops:dev",
            "${var.registry}/gitops:sha256-###ZARF_PKG_TMPL_SHA256###.sig",
          ]
          manifests = [{ name = "gitops", namespace = "flux-system", files = ["flux.yaml"] }]
        }],
      )
    })
  }]...)
}

output "files" {
  value = kalypso_gitops_commit.dev.packages
}
