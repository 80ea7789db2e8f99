// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package guide_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"go.yaml.in/yaml/v3"
)

// notRun are the examples whose providers CI cannot install.
var notRun = []string{"../../examples/connect/*/*.tf", "../../examples/connect/flux/cluster/*.tf", "../../examples/hcp/*/*.tf"}

// notRunExamples returns the texts of these examples by their files.
func notRunExamples(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range notRun {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %q", pattern, err, files)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all[file] = string(text)
		}
	}
	return all
}

// Examples that CI does not run have correct syntax, and say why CI does not run them.
func TestNotRunExamples(t *testing.T) {
	t.Parallel()
	for file, text := range notRunExamples(t) {
		if _, problems := hclparse.NewParser().ParseHCL([]byte(text), file); problems.HasErrors() {
			t.Errorf("%s: %v", file, problems)
		}
		if !regexp.MustCompile(`(?m)^# Not run: .+\.$`).MatchString(text) {
			t.Errorf("%s does not say why CI does not run it", file)
		}
	}
}

// Each reference to a variable, a local value or a resource has a declaration in the folder.
func TestNotRunExamples_references(t *testing.T) {
	t.Parallel()
	declared, used := map[string]bool{}, map[string]string{}
	for file, text := range notRunExamples(t) {
		parsed, problems := hclparse.NewParser().ParseHCL([]byte(text), file)
		if problems.HasErrors() {
			continue // TestNotRunExamples reports them
		}
		body, _ := parsed.Body.(*hclsyntax.Body)
		folder := filepath.Dir(file) + ": "
		for _, block := range body.Blocks {
			switch block.Type {
			case "variable":
				declared[folder+"var."+block.Labels[0]] = true
			case "resource", "ephemeral":
				declared[folder+strings.Join(block.Labels, ".")] = true
			case "data":
				declared[folder+"data."+strings.Join(block.Labels, ".")] = true
			case "locals":
				for name := range block.Body.Attributes {
					declared[folder+"local."+name] = true
				}
			}
		}
		for _, name := range regexp.MustCompile(`\b(var|local|data\.\w+|(flux|helm|azurerm|google|tfe|kubernetes|github)_\w+)\.\w+`).FindAllString(code(text), -1) {
			used[folder+name] = file
		}
	}
	if len(used) < 20 {
		t.Errorf("the examples use only %d names", len(used))
	}
	for name, file := range used {
		if !declared[name] {
			t.Errorf("%s: %s does not exist", file, name)
		}
	}
}

// code returns HCL without comments and descriptions.
func code(text string) string {
	return regexp.MustCompile(`(?m)#.*$|^ *description = .*$`).ReplaceAllString(text, "")
}

// Each example reads the folder of the cluster's type, and waits for the workloads.
func TestConnectedFolder(t *testing.T) {
	t.Parallel()
	for file, wanted := range map[string][]string{
		"aks/main.tf":           {`path = "./${var.cluster_type}"`, "wait = true", "garbage_collection_enabled = true"},
		"aks/arc.tf":            {`path = "./${var.cluster_type}"`, "garbage_collection_enabled = true"},
		"gke/config-sync.tf":    {`policy_dir = var.cluster_type`, `sync_branch = var.environment`, `source_format = "unstructured"`},
		"flux/gitops.yaml.tmpl": {"path: ./${cluster_type}", "wait: true", "prune: true"},
	} {
		text, err := os.ReadFile(filepath.Join("../../examples/connect", file))
		if err != nil {
			t.Fatal(err)
		}
		short := regexp.MustCompile(` +`).ReplaceAllString(string(text), " ")
		for _, w := range wanted {
			if !strings.Contains(short, w) {
				t.Errorf("%s has no %s", file, w)
			}
		}
	}
}

// The template of the example gives the objects of examples/bootstrap/flux.yaml, which tests
// with real clusters apply, except the optional Receiver.
func TestConnectedFlux(t *testing.T) {
	t.Parallel()
	values := strings.NewReplacer("${environment}", "dev", "${cluster_type}", "large", "${cluster}", "large-1")
	got := objects(t, "../../examples/connect/flux/gitops.yaml.tmpl", values)
	want := objects(t, "../../examples/bootstrap/flux.yaml", values)
	delete(want, "Receiver")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-flux.yaml +gitops.yaml.tmpl)\n%s", diff)
	}
}

// objects returns the objects of a YAML file by their kinds.
func objects(t *testing.T, file string, values *strings.Replacer) map[string]any {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]any{}
	for _, document := range strings.Split(values.Replace(string(text)), "\n---\n") {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			t.Fatal(err)
		}
		kind, _ := object["kind"].(string)
		all[kind] = object
	}
	return all
}
