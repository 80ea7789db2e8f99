// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/flux"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/process"
)

// session plays a user of examples/closed-network: what the workload's team pushes, the README
// README.md (in place of README), the steps of the CI files (STEPS), and what Zarf would pull.
const session = `
terraform() { [ "$1" = init ] || "${TF_ACC_TERRAFORM_PATH:-$(type -P terraform)}" "$@"; }
for name in gauges:1.4.0 gauges-server:1.4.0; do oras push REGISTRY/maintenance/$name gauges.tar.gz; done
README
STEPS
cosign verify --key cosign.pub --insecure-ignore-tlog REGISTRY/platform/gitops:dev
git clone --quiet --branch dev gitops.git branch
for file in branch/zarf/{plant,ship}/zarf.yaml; do
  test -f "$(dirname $file)/flux.yaml"
  sed "s/###ZARF_PKG_TMPL_SHA256###/$(oras resolve REGISTRY/platform/gitops:dev | cut -d : -f 2)/" $file |
    sed -n 's/^  - "\(.*:.*\)"$/\1/p' >images
  test "$(wc -l <images)" = 4
  xargs -n 1 oras manifest fetch <images
done
`

// TestAccFlux_closedNetwork follows examples/closed-network: a cluster gets the branch from a
// registry. An artifact that nobody has signed changes nothing.
func TestAccFlux_closedNetwork(t *testing.T) {
	t.Parallel()
	programs := os.Getenv("KALYPSO_OCI")
	if programs == "" {
		t.Skip("KALYPSO_OCI does not name the programs; make test-flux does")
	}
	w, c := newBuiltWorkspace(t, ""), flux.NewCluster(t)
	registry, err := process.Start(exec.Command(filepath.Join(programs, "crane"), "registry", "serve", "--address", "127.0.0.1:0"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(registry.Stop)
	var host string
	eventually(t, func() error {
		port := regexp.MustCompile(`port ([0-9]+)`).FindStringSubmatch(registry.Output())
		if port == nil {
			return fmt.Errorf("the registry says %q", registry.Output())
		}
		host = "localhost:" + port[1]
		return nil
	})
	const example = "../../examples/closed-network/"
	templates, err := filepath.Abs("../../examples/templates")
	if err != nil {
		t.Fatal(err)
	}
	names := strings.NewReplacer("registry.contoso.com", host, "${path.module}/../templates", templates, "interval: 1m", "interval: 5s")
	for _, file := range []string{
		"main.tf", "flux.yaml.tftpl", "ci/push.sh", "fleet/cluster-types.yaml", "fleet/configs.yaml", "fleet/policies.yaml",
		"fleet/workloads/gauges.yaml",
	} {
		w.write(t, file, names.Replace(readFile(t, example+file)))
	}
	if err := os.Remove(filepath.Join(w.dir, "versions.tf")); err != nil {
		t.Fatal(err)
	}
	w.write(t, "environments.txt", "dev\nprod\n")
	w.write(t, "gauges.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: gauges}, data: {color: blue}}\n")
	shell := func(script string) string {
		command := exec.Command("bash", "-euo", "pipefail", "-c", strings.ReplaceAll(script, "REGISTRY/", host+"/"))
		command.Dir = w.dir
		command.Env = slices.Concat(w.command().Env, []string{"PATH=" + programs + ":" + os.Getenv("PATH"), "HOME=" + w.dir})
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}

	_, readme, _ := strings.Cut(readFile(t, example+"README.md"), "```shell\n")
	readme, _, _ = strings.Cut(readme, "```")
	var steps []string
	for _, system := range []string{"github", "gitlab", "azure"} {
		step := regexp.MustCompile(`bash ci/.*`).FindString(readFile(t, example+"ci/"+system+".yml"))
		steps = append(steps, "REGISTRY_USER=push REGISTRY_PASSWORD=secret READ_TOKEN=secret "+step)
	}
	out := shell("tar -czf gauges.tar.gz gauges.yaml\n" + strings.NewReplacer("README", names.Replace(readme), "STEPS",
		strings.Join(steps, "\n")).Replace(session))
	packages := regexp.MustCompile(`(?m)^dev: zarf package create .*$`).FindAllString(out, -1)
	if len(packages) != 4 || packages[0] != packages[3] || strings.Count(out, "prod has no branch yet.") != 3 {
		t.Errorf("want the same artifact four times, got %q in:\n%s", packages, out)
	}

	c.Apply(t, secretYAML("cosign", map[string]string{"cosign.pub": readFile(t, filepath.Join(w.dir, "cosign.pub"))}))
	c.Apply(t, readFile(t, filepath.Join(w.dir, "branch/zarf/plant/flux.yaml")))
	source, plant := flux.Kind{APIVersion: "source.toolkit.fluxcd.io/v1", Kind: "OCIRepository"}, "dev-plant-gauges-live"
	delivered := func() error {
		if got := flux.Text(c.Get(t, flux.ConfigMaps, plant, "gauges"), "data", "color"); got != "blue" {
			return fmt.Errorf("the workload is %q: %v", got, c.Get(t, source, flux.Namespace, "gitops"))
		}
		return nil
	}
	eventually(t, delivered)

	shell("rm -r branch/plant/gauges-live; tar -czf gitops.tar.gz -C branch plant; oras push REGISTRY/platform/gitops:dev gitops.tar.gz")
	eventually(t, func() error {
		if got := fmt.Sprint(c.Get(t, source, flux.Namespace, "gitops")); !strings.Contains(got, "failed to verify the signature") {
			return fmt.Errorf("the source does not refuse the artifact: %s", got)
		}
		return nil
	})
	if err := delivered(); err != nil {
		t.Error(err)
	}
}
