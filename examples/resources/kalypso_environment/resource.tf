resource "kalypso_environment" "dev" {
  name = "dev"

  control_plane {
    repo   = "https://github.com/microsoft/kalypso-control-plane"
    branch = "dev"
    path   = "."
  }
}
