provider "kalypso" {
  max_fetch_mib = "many" # mistake
  git {
    url_prefix = "example.com" # mistake
    password   = "secret\n" # mistake
    ca_bundle  = "ca.pem" # mistake
  }
  forge {
    url_prefix = "https://example.com"
    type       = "bitbucket" # mistake
  }
}
