locals {
  hello = provider::kalypso::manifest({
    kind      = "WorkloadRegistration"
    name      = "hello-world-app"
    workspace = "kaizen-app-team"

    workload = {
      repo   = "https://github.com/microsoft/kalypso-app-src"
      branch = "main"
      path   = "workload/"
    }
  })
}
