# Rules that must stay true if sites change.

run "two_of_each_region" {
  command = plan

  assert {
    condition     = tolist(output.sites) == tolist(["north-3", "north-9", "south-2", "south-4"])
    error_message = "The shop is on ${join(", ", output.sites)}."
  }
}

run "nothing_moves_when_a_site_is_added" {
  command = plan

  variables {
    changes = { north-11 = { region = "north", free_memory = "100", draining = "false" } }
    ask     = "north-11"
  }

  assert {
    condition     = tolist(output.sites) == tolist(["north-3", "north-9", "south-2", "south-4"])
    error_message = "The shop is on ${join(", ", output.sites)}."
  }

  # The new site has more free memory than all other sites, but an earlier decision counts more.
  assert {
    condition     = anytrue([for s in output.explanation.steps : s.code == "NOT_AMONG_N" && startswith(s.found, "rank 3 of 10, total 100")])
    error_message = join("\n", output.explanation.steps[*].found)
  }
}

run "a_site_that_is_drained_is_left_for_the_next_of_its_region" {
  command = plan

  variables {
    changes = { south-2 = { region = "south", free_memory = "88", draining = "true" } }
    ask     = "south-2"
  }

  assert {
    condition     = tolist(output.sites) == tolist(["north-3", "north-9", "south-4", "south-7"])
    error_message = "The shop is on ${join(", ", output.sites)}."
  }

  assert {
    condition     = contains(output.explanation.steps[*].code, "TAINT_NOT_TOLERATED")
    error_message = join("\n", output.explanation.steps[*].found)
  }
}

run "nobody_is_short_of_sites" {
  command = plan

  assert {
    condition     = length(output.short_of_sites) == 0
    error_message = join("\n", output.short_of_sites)
  }
}

run "a_region_has_no_third" {
  command = plan

  variables {
    ask = "south-7"
  }

  assert {
    condition     = !output.explanation.placed
    error_message = "A third site of the south is in use."
  }
}

run "it_is_told_when_a_region_has_too_few" {
  command = plan

  variables {
    changes = { for n in range(1, 10) : "south-${n}" => { region = "south", free_memory = "0", draining = "true" } }
  }

  assert {
    condition     = length(output.sites) == 3 && length(output.short_of_sites) == 1
    error_message = "The shop is on ${join(", ", output.sites)}."
  }
}
