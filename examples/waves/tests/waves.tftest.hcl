# Checks the order of the waves, and that every cluster type is in a wave.

run "a_pilot_goes_first" {
  command = plan

  assert {
    condition     = output.waves.canary == tolist(["dresden"])
    error_message = "The canary is ${join(", ", output.waves.canary)}."
  }
}

run "then_a_quarter" {
  command = plan

  assert {
    condition     = output.waves.quarter == tolist(["berlin", "cologne"])
    error_message = "The quarter is ${join(", ", output.waves.quarter)}."
  }
}

run "then_all_others" {
  command = plan

  assert {
    condition     = length(flatten(values(output.waves))) == 8 && length(output.waves.rest) == 5
    error_message = "The rest is ${join(", ", output.waves.rest)}."
  }
}
