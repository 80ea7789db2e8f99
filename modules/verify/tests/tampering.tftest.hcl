# Each way to bring something else to stage is red, with the reason. Stage has the first release, and dev the second.

run "repositories" {
  module {
    source = "../environment/tests/repositories"
  }
}

run "the_first_release" {
  module {
    source = "../environment/tests/environments"
  }
  variables {
    repositories = run.repositories
    environments = ["dev", "stage"]
  }
}

run "a_change_is_merged" {
  module {
    source = "../environment/tests/git"
  }
  variables {
    commands = <<-EOT
      export GIT_DIR=$PWD/fleet.git GIT_WORK_TREE=$PWD/tree
      cd tree
      sed 's#path: [^}]*#path: ./second#' fleet/shop.yaml >edited && mv edited fleet/shop.yaml
      git commit --quiet --all --message 'Move the checkout'
    EOT
  }
}

run "dev_gets_the_second_release" {
  module {
    source = "../environment/tests/environments"
  }
  variables {
    repositories = run.repositories
    environments = ["dev", "stage"]
  }
}

run "stage_gets_the_second_release" {
  module {
    source = "../environment/tests/environments"
  }
  variables {
    repositories = run.repositories
    environments = ["dev", "stage"]
  }
  assert {
    condition     = output.waves.stage.status == "in_sync" && output.release.stage == output.release.dev
    error_message = jsonencode(output.release)
  }
}

# That commit becomes a request, and the branch gets the first release back. Each tampered request begins as the honest one.
run "the_requests" {
  module {
    source = "../environment/tests/git"
  }
  variables {
    commands = <<-EOT
      request() { rm -rf "$1" && git clone --quiet --branch request gitops.git "$1" && cd "$1"; }
      git --git-dir=gitops.git branch request stage
      git --git-dir=gitops.git update-ref refs/heads/stage stage~1
      git --git-dir=fleet.git rev-parse main~1 | tr -d '\n' >first
      git --git-dir=fleet.git rev-parse main | tr -d '\n' >second

      (request honest)
      (request edited && echo '# edited' >>store/shop-checkout/reconciler.yaml)
      (request readme && echo 'edited' >>store/README.md)
      (request added && echo 'kind: Namespace' >store/shop-checkout/more.yaml && mkdir other && echo 'kind: Namespace' >other/more.yaml)
      (request removed && rm store/shop-checkout/namespace.yaml)
      (request record && sed -i.bak "s/commit: .*/commit: $(cat ../first)/" .kalypso/* && rm .kalypso/*.bak)
      (request lines && sed -i.bak 's/store: owned/store: released/' .kalypso/* && rm .kalypso/*.bak)
      (request merged && sed -i.bak "s/commit: .*/commit: $(cat ../first)/" .kalypso/* && rm .kalypso/*.bak &&
        echo "<<: {release: {commit: $(cat ../second)}}" >>.kalypso/*)
      (request twice && echo 'branch: stage' >>.kalypso/*)
      (request renamed && mv .kalypso/* .kalypso/record)
      (request quoted && sed -i.bak -e 's/stage/"stage"/' -e "s/store:/'store':/" -e 's/version: .*/version: 0.0.1/' .kalypso/* && rm .kalypso/*.bak)
      (request records && cp .kalypso/* .kalypso/0123456789abcdef)
      (request none && rm -r .kalypso)
      (request tracking && cp ../first .github/tracking/Promoted_Commit_Id)
      (request check && mkdir -p .github/workflows ci verify && echo 'on: push' >.github/workflows/verify.yml &&
        echo '# edited' >>store/shop-checkout/reconciler.yaml &&
        echo 'exit 0' >ci/verify.sh && echo 'locals { differences = [] }' >verify/main.tf)
      (request emptied && mkdir kiosk && printf '%s\n' '<!-- emptied by terraform-provider-kalypso -->' '# Nothing is assigned here any more' '' \
        'This folder is left so that clusters that still read it remove what it held. Delete it once no cluster reads it.' >kiosk/README.md)
      (request files && sed -i.bak $'s#^folders:#&\\\n  ./FLEET.md: owned#' .kalypso/* && rm .kalypso/*.bak && printf '# Fleet' >FLEET.md && echo '* @ann' >CODEOWNERS)
      (request dev && git checkout --quiet dev)
      (request former && git checkout --quiet stage)
    EOT
  }
}

variables {
  environment = "stage"
  fleet       = { repo = "file://${abspath("../environment/tests/repositories/made")}/fleet.git", path = "fleet" }
  gitops      = { repo = "file://${abspath("../environment/tests/repositories/made")}/gitops.git" }
  after       = { dev = { checks_required = false, soak = "0s" } }
}

run "the_honest_request" {
  command = plan
  variables {
    request = "../environment/tests/repositories/made/honest"
  }
  assert {
    condition     = length(output.differences) == 0
    error_message = join("\n", output.differences)
  }
}

run "an_edited_line" {
  command = plan
  variables {
    request = "../environment/tests/repositories/made/edited"
  }
  expect_failures = [output.release]
  assert {
    condition     = jsonencode(output.differences) == jsonencode(["store/shop-checkout/reconciler.yaml differs."])
    error_message = join("\n", output.differences)
  }
}

run "an_edited_readme" {
  command = plan
  variables {
    request = "../environment/tests/repositories/made/readme"
  }
  expect_failures = [output.release]
  assert {
    condition     = jsonencode(output.differences) == jsonencode(["store/README.md differs."])
    error_message = join("\n", output.differences)
  }
}

run "added_files" {
  command = plan
  variables {
    request = "../environment/tests/repositories/made/added"
  }
  expect_failures = [output.release]
  assert {
    condition     = jsonencode(output.differences) == jsonencode(["other/more.yaml was added.", "store/shop-checkout/more.yaml was added."])
    error_message = join("\n", output.differences)
  }
}

run "a_removed_file" {
  command = plan
  variables {
    request = "../environment/tests/repositories/made/removed"
  }
  expect_failures = [output.release]
  assert {
    condition     = jsonencode(output.differences) == jsonencode(["store/shop-checkout/namespace.yaml was removed."])
    error_message = join("\n", output.differences)
  }
}

run "a_record_with_another_release" {
  command = plan
  variables {
    request = "../environment/tests/repositories/made/record"
  }
  expect_failures = [output.release]
  assert {
    condition = jsonencode([for line in output.differences : replace(line, "/[0-9a-f]{16} has/", "ID has")]) == jsonencode([
      ".kalypso/ID has [\"  commit: ${file("../environment/tests/repositories/made/first")}\"] instead of [\"  commit: ${file("../environment/tests/repositories/made/second")}\"], each line once and in its place.",
    ])
    error_message = join("\n", output.differences)
  }
}

run "a_record_that_gives_a_folder_up" {
  command = plan
  variables {
    request = "../environment/tests/repositories/made/lines"
  }
  expect_failures = [output.release]
  assert {
    condition = jsonencode([for line in output.differences : replace(line, "/[0-9a-f]{16} has/", "ID has")]) == jsonencode([
      ".kalypso/ID has [\"  store: released\"] instead of [\"  store: owned\"], each line once and in its place.",
    ])
    error_message = join("\n", output.differences)
  }
}

run "a_record_with_two_releases" {
  command = plan
  variables {
    request = "../environment/tests/repositories/made/merged"
  }
  expect_failures = [output.release]
  assert {
    condition = jsonencode([for line in output.differences : replace(line, "/[0-9a-f]{16} has/", "ID has")]) == jsonencode([
      ".kalypso/ID has ${jsonencode(["  commit: ${file("../environment/tests/repositories/made/first")}", "<<: {release: {commit: ${file("../environment/tests/repositories/made/second")}}}"])} instead of ${jsonencode(["  commit: ${file("../environment/tests/repositories/made/second")}"])}, each line once and in its place.",
    ])
    error_message = join("\n", output.differences)
  }
}

run "a_record_with_a_line_twice" {
  command = plan
  variables {
    request = "../environment/tests/repositories/made/twice"
  }
  expect_failures = [output.release]
  assert {
    condition = jsonencode([for line in output.differences : replace(line, "/[0-9a-f]{16} has/", "ID has")]) == jsonencode([
      ".kalypso/ID has [] instead of [], each line once and in its place.",
    ])
    error_message = join("\n", output.differences)
  }
}

run "a_record_with_another_name" {
  command = plan
  variables {
    request = "../environment/tests/repositories/made/renamed"
  }
  expect_failures = [output.release]
  assert {
    condition     = jsonencode(output.differences) == jsonencode(["0 records are in .kalypso instead of one.", ".kalypso/record was added."])
    error_message = join("\n", output.differences)
  }
}

run "a_record_of_another_version_with_quotes" {
  command = plan
  variables {
    request = "../environment/tests/repositories/made/quoted"
  }
  assert {
    condition     = jsonencode(output.differences) == jsonencode([])
    error_message = join("\n", output.differences)
  }
}

run "a_second_record" {
  command = plan
  variables {
    request = "../environment/tests/repositories/made/records"
  }
  expect_failures = [output.release]
  assert {
    condition     = jsonencode(output.differences) == jsonencode(["2 records are in .kalypso instead of one."])
    error_message = join("\n", output.differences)
  }
}

run "no_record" {
  command = plan
  variables {
    request = "../environment/tests/repositories/made/none"
  }
  expect_failures = [output.release]
  assert {
    condition     = jsonencode(output.differences) == jsonencode(["0 records are in .kalypso instead of one."])
    error_message = join("\n", output.differences)
  }
}

run "another_promoted_commit" {
  command = plan
  variables {
    request = "../environment/tests/repositories/made/tracking"
  }
  expect_failures = [output.release]
  assert {
    condition     = jsonencode(output.differences) == jsonencode([".github/tracking/Promoted_Commit_Id differs."])
    error_message = join("\n", output.differences)
  }
}

run "a_release_that_dev_has_not_verified" {
  command = plan
  variables {
    request = "../environment/tests/repositories/made/honest"
    after   = { dev = { checks_required = false, soak = "1000h" } }
  }
  expect_failures = [output.release]
  assert {
    condition = jsonencode([for line in output.differences : replace(line, "/[0-9a-f]{16} has/", "ID has")]) == jsonencode([
      ".kalypso/ID has [\"  commit: ${file("../environment/tests/repositories/made/second")}\"] instead of [\"  commit: ${file("../environment/tests/repositories/made/first")}\"], each line once and in its place.",
      ".github/tracking/Promoted_Commit_Id differs.",
      "store/shop-checkout/reconciler.yaml differs.",
    ])
    error_message = join("\n", output.differences)
  }
}

run "the_former_release" {
  command = plan
  variables {
    request = "../environment/tests/repositories/made/former"
  }
  expect_failures = [output.release]
  assert {
    condition = jsonencode([for line in output.differences : replace(line, "/[0-9a-f]{16} has/", "ID has")]) == jsonencode([
      ".kalypso/ID has [\"  commit: ${file("../environment/tests/repositories/made/first")}\"] instead of [\"  commit: ${file("../environment/tests/repositories/made/second")}\"], each line once and in its place.",
      ".github/tracking/Promoted_Commit_Id differs.",
      "store/shop-checkout/reconciler.yaml differs.",
    ])
    error_message = join("\n", output.differences)
  }
}

run "the_release_of_another_environment" {
  command = plan
  variables {
    request = "../environment/tests/repositories/made/dev"
  }
  expect_failures = [output.release]
  assert {
    condition = jsonencode([for line in output.differences : replace(line, "/[0-9a-f]{16} has/", "ID has")]) == jsonencode([
      ".kalypso/ID has [\"branch: dev\",\"environment: dev\"] instead of [\"branch: stage\",\"environment: stage\"], each line once and in its place.",
      "store/README.md differs.",
      "store/shop-checkout/namespace.yaml differs.",
      "store/shop-checkout/platform-config.yaml differs.",
      "store/shop-checkout/reconciler.yaml differs.",
    ])
    error_message = join("\n", output.differences)
  }
}

# Nothing of the request runs, so its own check has no effect.
run "a_request_that_changes_the_check" {
  command = plan
  variables {
    request = "../environment/tests/repositories/made/check"
  }
  expect_failures = [output.release]
  assert {
    condition     = jsonencode(output.differences) == jsonencode([".github/workflows/verify.yml was added.", "ci/verify.sh was added.", "verify/main.tf was added.", "store/shop-checkout/reconciler.yaml differs."])
    error_message = join("\n", output.differences)
  }
}

run "nothing_is_verified" {
  command = plan
  variables {
    request     = "../environment/tests/repositories/made/honest"
    environment = "prod"
    after       = { qa = { checks_required = false, soak = "0s" } }
  }
  expect_failures = [output.release]
  assert {
    condition     = strcontains(output.differences[0], "No release is verified: ") && contains(output.differences, "store/README.md was added.")
    error_message = join("\n", output.differences)
  }
}

run "a_pin_wins" {
  command = plan
  variables {
    request = "../environment/tests/repositories/made/former"
    pin     = file("../environment/tests/repositories/made/first")
  }
  assert {
    condition     = jsonencode(output.differences) == jsonencode([])
    error_message = join("\n", output.differences)
  }
}

run "further_files" {
  command = plan
  variables {
    request = "../environment/tests/repositories/made/files"
    files   = { "FLEET.md" = "# Fleet" }
    ignore  = ["CODEOWNERS"]
  }
  assert {
    condition     = jsonencode(output.differences) == jsonencode([])
    error_message = join("\n", output.differences)
  }
}

run "files_that_are_not_wanted" {
  command = plan
  variables {
    request = "../environment/tests/repositories/made/files"
  }
  expect_failures = [output.release]
  assert {
    condition = jsonencode([for line in output.differences : replace(line, "/[0-9a-f]{16} has/", "ID has")]) == jsonencode([
      ".kalypso/ID has [\"  ./FLEET.md: owned\"] instead of [], each line once and in its place.",
      "CODEOWNERS was added.",
      "FLEET.md was added.",
    ])
    error_message = join("\n", output.differences)
  }
}

run "what_is_left_of_a_cluster_type" {
  command = plan
  variables {
    request = "../environment/tests/repositories/made/emptied"
  }
  assert {
    condition     = jsonencode(output.differences) == jsonencode([])
    error_message = join("\n", output.differences)
  }
}

run "a_folder_without_a_request" {
  command = plan
  variables {
    request = "../environment/tests/repositories/made/nothing"
  }
  expect_failures = [var.request]
}
