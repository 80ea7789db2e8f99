output "commit" {
  description = "The commit of the fleet that the environment gets, or null."
  value       = try(local.promotion.commit, null)
}

output "decision" {
  description = "The decision of the promotion, such as `promote` or `held`, or null."
  value       = try(local.promotion.decision, null)
}

output "reason" {
  description = "The reason for the decision, or null. As an output of a root module, it changes with each apply."
  value       = try(local.promotion.reason, null)
}

output "candidates" {
  description = "The releases newer than the present one, with their states; empty if nothing is promoted."
  value       = try(local.promotion.candidates, [])
}

output "packages" {
  description = "The packages of the environment, each with a digest."
  value       = kalypso_gitops_commit.this.packages
}

output "summary" {
  description = "The last change in one line."
  value       = kalypso_gitops_commit.this.summary
}

output "status" {
  description = "Whether the branch has the packages: `in_sync`, `proposed`, `closed`, `drifted` or `held`."
  value       = kalypso_gitops_commit.this.status
}

output "pull_request_url" {
  description = "The address of the last pull request, or null."
  value       = kalypso_gitops_commit.this.pull_request_url
}
