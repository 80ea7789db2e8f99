# Config Sync instead of Flux, for memberships of a fleet, by their names: google_gke_hub_membership.….membership_id. The packages
# need templates that render plain objects, and nothing posts a commit status: see ../../hydrated.
#
# Not run: CI has no Google Cloud project and cannot install this provider.
variable "memberships" {
  type    = set(string)
  default = []
}

resource "google_gke_hub_feature" "config_sync" {
  count    = length(var.memberships) > 0 ? 1 : 0
  provider = google-beta
  name     = "configmanagement"
  location = "global"
}

resource "google_gke_hub_feature_membership" "gitops" {
  for_each   = var.memberships
  provider   = google-beta
  location   = "global"
  feature    = google_gke_hub_feature.config_sync[0].name
  membership = each.value

  configmanagement {
    config_sync {
      source_format = "unstructured"
      git {
        sync_repo   = "https://github.com/contoso/gitops"
        sync_branch = var.environment
        policy_dir  = var.cluster_type
        secret_type = "token" # the Kubernetes Secret git-creds in config-management-system
      }
    }
  }
}
