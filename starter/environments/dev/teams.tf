# Shows each team on its commit whether the fleet can read its files, in the apply that reads them. Needs a token that may
# write statuses in the repositories of the teams.
variable "tell_teams" {
  type    = bool
  default = false
}

resource "kalypso_commit_status" "teams" {
  for_each    = var.tell_teams ? module.environment.teams : {}
  repo        = each.value.repo
  commit      = each.value.commit
  context     = "kalypso/files"
  state       = each.value.problem == null ? "success" : "failure"
  description = each.value.problem == null ? "dev reads the files" : substr(each.value.problem, 0, 140)
}
