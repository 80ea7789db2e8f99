schema_version = 1

project {
  license = "MPL-2.0"

  # Written with "(c)" so that headers without a year count as complete.
  copyright_holder = "(c) The terraform-provider-kalypso authors"

  # Examples and templates are shown to readers, fleets are data.
  header_ignore = [
    "internal/testkit/fleetgen/shapes/**",
    "examples/**",
    "modules/**",
    "starter/**",
    "templates/**",
    "dist/**",
    "docs/**",
    "**/testdata/**",
    ".golangci.yml",
    ".goreleaser.yml",
    ".copywrite.hcl",
  ]
}
