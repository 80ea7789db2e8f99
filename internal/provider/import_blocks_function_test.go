// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// importIDs returns the ids of import blocks. It fails if two blocks have the same address.
func importIDs(t *testing.T, blocks string) (ids []string) {
	t.Helper()
	file, diags := hclsyntax.ParseConfig([]byte(blocks), "imports.tf", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatalf("%s\n%s", diags, blocks)
	}
	addresses := map[string]bool{}
	for _, block := range as[*hclsyntax.Body](t, file.Body).Blocks {
		address := string(block.Body.Attributes["to"].Expr.Range().SliceBytes(file.Bytes))
		if addresses[address] {
			t.Errorf("two blocks are for %s", address)
		}
		addresses[address] = true
		id, diags := block.Body.Attributes["id"].Expr.Value(nil)
		if diags.HasErrors() {
			t.Fatalf("%s: %s", address, diags)
		}
		ids = append(ids, id.AsString())
	}
	return ids
}

// Names that are not names in HCL, two objects with one address, a text that looks like HCL
// or like the end of a text, objects that cannot be imported, several documents in one text.
func TestImportBlocks(t *testing.T) {
	t.Parallel()
	const config = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %\n  labels:\n    platform-config: \"true\"\ndata:\n  a: 'A'\n"
	first, hostile := strings.Replace(config, "%", "1.a-b", 1), strings.Replace(config, "%", "b", 1)
	hostile = strings.Replace(hostile, "'A'", "|-\n    ${a} $${b} %{c} $\n    YAML\n    YAML_", 1)
	objects, err := manifest.Decode([]manifest.Text{
		{Text: first + "---\n" + strings.Replace(config, "%", "1-a.b", 1)}, {Text: hostile},
		{Text: "apiVersion: " + manifest.APIVersion + "\nkind: DeploymentTarget\nmetadata:\n  name: shop-live\n  labels: {workload: shop, " +
			"workspace: retail}\nspec:\n  environment: dev\n  manifests: {repo: a}\n---\n" + strings.NewReplacer("%", "c", "a: 'A'",
			"password: hunter2").Replace(config)},
	})
	if err != nil {
		t.Fatal(err)
	}
	blocks := importBlocks(objects)
	ids := importIDs(t, blocks)
	for i, object := range objects[:3] {
		if want := manifest.Encode(object); ids[i] != want {
			t.Errorf("the id is\n%s\nwant\n%s", ids[i], want)
		}
	}
	for _, want := range []string{"to = kalypso_config._1_a_b\n", "to = kalypso_config._1_a_b_2\n", "to = kalypso_config.b\n",
		"# DeploymentTarget/dev/shop-live has no resource. Keep its YAML.\n",
		"# ConfigMap/c has a value that looks like a credential. Keep its YAML.\n",
		"# manifests = [\n#   kalypso_config._1_a_b.manifest,\n#   kalypso_config._1_a_b_2.manifest,\n#   kalypso_config.b.manifest,\n# ]\n"} {
		if !strings.Contains(blocks, want) {
			t.Errorf("no %q in\n%s", want, blocks)
		}
	}
}

func TestImportBlocksFunction_mistakes(t *testing.T) {
	t.Parallel()
	expectMistakes(t, map[string]mistake{
		"unknown kind": {`output "result" { value = provider::kalypso::import_blocks(["apiVersion: ` + manifest.APIVersion +
			`\nkind: Workloads"]) }`, "Workloads"},
	})
}

// The CLI writes HCL for a fleet and its commit. Only manifests of the commit is missing.
func TestAccCLI_importBlocks(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	w := newWorkspace(t, functionHCL(functionFleet, "provider::kalypso::import_blocks(local.fleet)"))
	w.mustRun(t, applying...)
	blocks, _, err := w.run("output", "-raw", "result")
	if err != nil {
		t.Fatal(blocks)
	}
	w.write(t, "imports.tf", blocks)
	w.mustRun(t, "plan", "-generate-config-out=fleet.tf")
	_, list, _ := strings.Cut(blocks, "# manifests = ")
	list = strings.ReplaceAll(list, "#", "")
	commit := "resource \"kalypso_gitops_commit\" \"prod\" {\n  environment = \"prod\"\n  repo = \"" + r.url + "\"\n  branch = \"prod\"\n"
	w.write(t, "commit.tf", commit+"  manifests = local.fleet\n}\n")
	w.mustRun(t, applying...)
	w.write(t, "commit.tf", commit+"  manifests = "+list+"}\n")
	w.succeeds(t, []string{"plan"}, "no package changes", "0 to add, 1 to change, 0 to destroy")

	w.mustRun(t, "state", "rm", "kalypso_gitops_commit.prod")
	w.write(t, "commit.tf", "import {\n  to = kalypso_gitops_commit.prod\n  id = \""+r.url+"#prod:.:prod\"\n}\n")
	w.fails(t, []string{"plan", "-generate-config-out=generated.tf"}, "Missing manifests", "replace only this null")
	generated := readFile(t, filepath.Join(w.dir, "generated.tf"))
	w.write(t, "generated.tf", strings.Replace(generated, "= null # sensitive", "= "+list, 1))
	w.mustRun(t, "plan")
}
