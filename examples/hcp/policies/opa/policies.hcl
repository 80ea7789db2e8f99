policy "packages" {
  query             = "data.kalypso.packages.deny"
  enforcement_level = "mandatory"
}
