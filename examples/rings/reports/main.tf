# The reports in JSON files of this folder: see ../../reports/folder.
output "reports" {
  value = jsonencode(flatten([for file in fileset(path.module, "*.json") : jsondecode(file("${path.module}/${file}"))]))
}
