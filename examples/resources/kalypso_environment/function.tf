locals {
  dev = provider::kalypso::manifest({
    kind = "Environment"
    name = "dev"

    control_plane = {
      repo   = "https://github.com/microsoft/kalypso-control-plane"
      branch = "dev"
      path   = "."
    }
  })
}
