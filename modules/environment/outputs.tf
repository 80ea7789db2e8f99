output "release" {
  description = "The release that the environment gets, `{ commit, sources }`: of the last wave. Its `commit` is null as long as nothing is verified."
  value       = local.last.release
}

output "decision" {
  description = "The decision of the promotion, such as `promote` or `held`, or null: of the last wave. For a `check`: as an output of a root module, it changes by itself."
  value       = local.last.decision
}

output "reason" {
  description = "The reason for the decision, or null: of the last wave. For a `check`, like `decision`."
  value       = local.last.reason
}

output "candidates" {
  description = "The releases newer than the present one, with their states: of the last wave. For a `check`, like `decision`."
  value       = local.last.candidates
}

output "manifests" {
  description = "The objects of the release that the environment gets: of the last wave. For `files`, such as an overview page."
  value       = local.read[var.waves[length(var.waves) - 1].name]
}

output "packages" {
  description = "The packages of the environment, each with a digest."
  value       = merge([for commit in kalypso_gitops_commit.this : commit.packages]...)
}

output "waves" {
  description = "By the name of the wave: its last change in one line (`summary`), whether the branch has its packages (`status`), and the address of its last pull request (`pull_request_url`)."
  value       = { for name, commit in kalypso_gitops_commit.this : name => { summary = commit.summary, status = commit.status, pull_request_url = commit.pull_request_url } }
}

output "teams" {
  description = "What became of the repositories that registrations name, by `<repo>#<branch>`: `repo`, the `commit` that the first wave reads, and the `problem` of a broken file, or null. For `kalypso_commit_status`."
  value = { for source, commit in local.sources[var.waves[0].name] : source => {
    repo    = split("#", source)[0]
    commit  = commit
    problem = try([for note in local.notes : note if startswith(note.metadata.name, "${source}:")][0].spec.problems[0].detail, null)
  } }
}

locals {
  notes   = [for m in local.read[var.waves[0].name] : yamldecode(m) if startswith(m, "# From kalypso_control_plane\n")]
  nothing = { release = { commit = null, sources = {} }, decision = null, reason = null, candidates = [] }
  last    = try(data.kalypso_promotion.this[var.waves[length(var.waves) - 1].name], local.nothing)
}
