# Plans one release for all rings: the first gets it, and the others wait.
run "the_first_ring_gets_it" {
  command = plan

  assert {
    condition     = [for name, ring in kalypso_gitops_commit.ring : name if !ring.hold] == ["prod-5"]
    error_message = join(", ", [for name, ring in kalypso_gitops_commit.ring : name if !ring.hold])
  }
}
