
resource "kalypso_workload" "batch" {
  name      = "batch"
  workspace = "batch-team"
  deployment_target {
    name        = "nightly"
    environment = "prod"
  }
}
