# Reports in JSON files of a folder, for example a branch "reports" to which a test job pushes:
#
#   git clone --branch reports --depth 1 https://github.com/contoso/gitops reports
#
# A file has one report, or a list of reports.
variable "folder" {
  type = string
}

output "reports" {
  value = jsonencode(flatten([for file in fileset(var.folder, "**/*.json") : jsondecode(file("${var.folder}/${file}"))]))
}
