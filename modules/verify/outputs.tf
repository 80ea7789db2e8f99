output "differences" {
  description = "Where the request is not what the environment should have, one line each. Empty if the request is right."
  value       = local.differences
}

output "release" {
  description = "The release that the environment should have, `{ commit, sources }`. A plan fails with the differences if the request is not that release."
  value       = local.release

  precondition {
    condition = length(local.differences) == 0
    error_message = join("\n", concat(
      ["This request is not what ${var.environment} should have. ${data.kalypso_promotion.this.reason}"],
      [for line in slice(local.differences, 0, min(20, length(local.differences))) : " - ${line}"],
      anytrue([for lines in values(local.records) : strcontains(join("", lines), "\r")]) ? ["The checkout changed line ends to CRLF: check out with core.autocrlf=false."] : [],
      length(local.differences) > 20 ? [" and ${length(local.differences) - 20} more."] : [],
    ))
  }
}
