policy "packages" {
  source            = "./packages.sentinel"
  enforcement_level = "hard-mandatory"
}
