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
      git --git-dir=fleet.git rev-parse main~1 >first

      (request honest)
      (request edited && echo '# edited' >>store/shop-checkout/reconciler.yaml)
      (request readme && echo 'edited' >>store/README.md)
      (request added && echo 'kind: Namespace' >store/shop-checkout/more.yaml && mkdir other && echo 'kind: Namespace' >other/more.yaml)
      (request removed && rm store/shop-checkout/namespace.yaml)
      (request record && sed -i.bak "s/commit: .*/commit: $(cat ../first)/" .kalypso/* && rm .kalypso/*.bak)
      (request lines && sed -i.bak 's/store: owned/store: released/' .kalypso/* && rm .kalypso/*.bak)
      (request records && cp .kalypso/* .kalypso/0123456789abcdef)
      (request none && rm -r .kalypso)
      (request tracking && cp ../first .github/tracking/Promoted_Commit_Id)
      (request check && mkdir -p .github/workflows ci verify && echo 'on: push' >.github/workflows/verify.yml &&
        echo 'exit 0' >ci/verify.sh && echo 'locals { differences = [] }' >verify/main.tf)
      (request emptied && mkdir kiosk && printf '%s\n' '<!-- emptied by terraform-provider-kalypso -->' '# Nothing is assigned here any more' '' \
        'This folder is left so that clusters that still read it remove what it held. Delete it once no cluster reads it.' >kiosk/README.md)
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
    condition     = output.differences == tolist(["store/shop-checkout/reconciler.yaml differs.x"])
    error_message = join("\n", output.differences)
  }
}
