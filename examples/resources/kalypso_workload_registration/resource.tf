resource "kalypso_workload_registration" "hello" {
  name      = "hello-world-app"
  workspace = "kaizen-app-team"

  workload {
    repo   = "https://github.com/microsoft/kalypso-app-src"
    branch = "main"
    path   = "workload/"
  }
}
