// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/giteatest"
)

// protoV6ProviderFactories runs the provider in the test process.
var protoV6ProviderFactories = providerFrom(ofTests)

// factories make the provider, as resource.Test takes them.
type factories = map[string]func() (tfprotov6.ProviderServer, error)

// localRepositories are what manifests of tests may name.
const localRepositories = "file://"

// ofTests is the environment of tests. No variable of the user plays a part.
func ofTests(name string) (value string, found bool) {
	if name == envURLPrefix {
		return localRepositories, true
	}
	return "", false
}

func providerFrom(lookup func(name string) (string, bool)) factories {
	return factories{"kalypso": func() (tfprotov6.ProviderServer, error) {
		return providerserver.NewProtocol6(&kalypsoProvider{version: "test", lookup: lookup})(), nil
	}}
}

// inEnvironment runs the provider in the test process as protoV6ProviderFactories does,
// with nothing but these variables in its environment.
func inEnvironment(variables map[string]string) factories {
	return providerFrom(func(name string) (string, bool) {
		value, ok := variables[name]
		return value, ok
	})
}

// inSteps tests resources in steps, with the provider in the test process.
func inSteps(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: protoV6ProviderFactories, Steps: steps})
}

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if binaries, err = os.MkdirTemp("", "terraform-provider-kalypso-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(binaries) }()
	return giteatest.Run(m.Run)
}

// binaries is a folder for the programs that tests build. It is removed after the tests.
var binaries string

// builtProvider builds the provider once, as users run it, and returns its folder.
var builtProvider = sync.OnceValues(func() (string, error) { return buildProvider("") })

// buildProvider builds a command of this repository as the provider, and returns the folder of the program.
func buildProvider(command string) (string, error) {
	dir := filepath.Join(binaries, "provider", command)
	build := exec.Command("go", "build", "-ldflags", "-X main.version=0.1.0", "-o", filepath.Join(dir, "terraform-provider-kalypso"),
		"github.com/kalypso-gitops/terraform-provider-kalypso"+command)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return dir, nil
}

// acceptance skips a test if nobody asks for acceptance tests, as resource.Test does. It
// is for tests that do not use resource.Test, or that do much before it.
func acceptance(t testing.TB) {
	t.Helper()
	if os.Getenv(resource.EnvTfAcc) == "" {
		t.Skipf("acceptance tests run where %s=1 is set; make testacc sets it", resource.EnvTfAcc)
	}
}

// workspace is a folder with a configuration, and a CLI that finds the provider: for what
// happens between plan and apply.
type workspace struct {
	t         testing.TB
	dir       string
	cliConfig string
	// providers run in this process, one for each run of the CLI; where it is nil, the CLI
	// runs the provider as it is built from this source.
	providers factories
	// env are further variables of the environment, as "name=value".
	env []string
}

// newWorkspace makes a workspace with the provider in this process, whose removals do not
// wait.
func newWorkspace(t testing.TB, config string) workspace {
	t.Helper()
	acceptance(t)
	w := workspace{t: t, dir: t.TempDir(), cliConfig: os.DevNull, providers: protoV6ProviderFactories}
	w.write(t, "versions.tf", "terraform {\n  required_providers {\n    kalypso = { source = \"kalypso-gitops/kalypso\" }\n  }\n}\n")
	w.write(t, "main.tf", config)
	return w
}

// newBuiltWorkspace makes a workspace in which the CLI runs the provider as users do: for
// logs, the environment, aliases, crashes, and the time that removals wait.
func newBuiltWorkspace(t testing.TB, config string) workspace {
	t.Helper()
	provider, err := builtProvider()
	if err != nil {
		t.Fatal(err)
	}
	return newWorkspaceWith(t, provider, config)
}

// newWorkspaceWith makes a workspace in which the CLI runs the provider of a folder.
func newWorkspaceWith(t testing.TB, provider, config string) workspace {
	t.Helper()
	w := newWorkspace(t, config)
	w.providers, w.cliConfig = nil, filepath.Join(w.dir, "cli.tfrc")
	w.write(t, "cli.tfrc",
		fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"kalypso-gitops/kalypso\" = %q\n  }\n  direct {}\n}\n", provider))
	return w
}

// with adds variables to the environment, as "name=value".
func (w workspace) with(variables ...string) workspace {
	w.env = slices.Concat(w.env, variables)
	return w
}

func (w workspace) write(t testing.TB, name, text string) {
	t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// written writes the configuration of a run, and returns the run's arguments.
func (w workspace) written(t testing.TB, config string, args ...string) []string {
	t.Helper()
	w.write(t, "main.tf", config)
	return args
}

// command is the CLI in the workspace: the one that TF_ACC_TERRAFORM_PATH names,
// or else terraform on PATH, as resource.Test takes it.
func (w workspace) command(args ...string) *exec.Cmd {
	command := exec.Command(cmp.Or(os.Getenv("TF_ACC_TERRAFORM_PATH"), "terraform"), args...)
	command.Dir = w.dir
	command.Env = append(slices.DeleteFunc(os.Environ(), ofTheUser), "TF_CLI_CONFIG_FILE="+w.cliConfig, "TF_INPUT=0", "TF_IN_AUTOMATION=1",
		"CHECKPOINT_DISABLE=1", envURLPrefix+"="+localRepositories)
	command.Env = append(command.Env, w.env...)
	if w.providers != nil {
		command.Env = append(command.Env, serve(w.t, w.providers))
	}
	return command
}

// run runs the CLI and returns what it printed, and how it ended.
func (w workspace) run(args ...string) (output string, ended *os.ProcessState, err error) {
	if args[0] != "state" && args[0] != "workspace" { // which know no colours
		args = slices.Insert(slices.Clone(args), 1, "-no-color")
	}
	command := w.command(args...)
	out, err := command.CombinedOutput()
	return string(out), command.ProcessState, err
}

// ofTheUser reports whether a variable is one by which users configure the CLI or the provider.
func ofTheUser(variable string) bool {
	return strings.HasPrefix(variable, "TF_") || strings.HasPrefix(variable, "KALYPSO_")
}

func (w workspace) mustRun(t testing.TB, args ...string) *os.ProcessState {
	t.Helper()
	out, ended, err := w.run(args...)
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return ended
}

// succeeds runs the CLI, and wants that it says all of these words.
func (w workspace) succeeds(t testing.TB, args []string, words ...string) {
	t.Helper()
	out, _, err := w.run(args...)
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	w.says(t, out, words...)
}

// fails runs the CLI, and wants an error that says all of these words.
func (w workspace) fails(t testing.TB, args []string, words ...string) {
	t.Helper()
	out, _, err := w.run(args...)
	if err == nil {
		t.Fatalf("%v succeeds, want an error that says %q:\n%s", args, words, out)
	}
	w.says(t, out, words...)
}

func (w workspace) says(t testing.TB, out string, words ...string) {
	t.Helper()
	for _, said := range words {
		if !saying(said).MatchString(out) {
			t.Errorf("nothing says %q:\n%s", said, out)
		}
	}
}

// diff plans or applies, and returns the shown diff of the one change, as Git writes it;
// empty if none is shown.
func (w workspace) diff(t testing.TB, args ...string) string {
	t.Helper()
	said, ok := w.diagnostics(t, args...)
	if !ok {
		t.Fatalf("%v: %+v", args, said)
	}
	for _, d := range said {
		if _, indented, ok := strings.Cut(d.Detail, "\n\n"); ok && strings.Contains(d.Summary, " change: ") {
			return strings.ReplaceAll(indented, "\n ", "\n")[1:] + "\n"
		}
	}
	return ""
}

func readFile(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// serve serves a provider of this process to one run of the CLI, and returns what its
// environment has to say of that.
func serve(t testing.TB, providers factories) string {
	t.Helper()
	options := []tf6server.ServeOpt{tf6server.WithoutLogStderrOverride(), tf6server.WithGoPluginLogger(hclog.NewNullLogger())}
	if t, ok := t.(*testing.T); ok { // logs go where the variables of acceptance tests say, and not to the console
		options = append(options, tf6server.WithLoggingSink(t))
	}
	ctx, cancel := context.WithCancel(context.Background())
	configs, closed := make(chan *plugin.ReattachConfig), make(chan struct{})
	go func() {
		err := tf6server.Serve(providerAddress, func() tfprotov6.ProviderServer {
			server, err := providers["kalypso"]()
			if err != nil {
				panic(err)
			}
			return server
		}, append(options, tf6server.WithDebug(ctx, configs, closed))...)
		if err != nil {
			panic(err)
		}
	}()
	config := <-configs
	t.Cleanup(func() {
		cancel()
		<-closed
	})
	reached := map[string]any{
		"Protocol": config.Protocol, "ProtocolVersion": config.ProtocolVersion, "Pid": os.Getpid(), "Test": true,
		"Addr": map[string]string{"Network": config.Addr.Network(), "String": config.Addr.String()},
	}
	text, err := json.Marshal(map[string]any{providerAddress: reached, "registry.opentofu.org/kalypso-gitops/kalypso": reached})
	if err != nil {
		t.Fatal(err)
	}
	return "TF_REATTACH_PROVIDERS=" + string(text)
}

const providerAddress = "registry.terraform.io/kalypso-gitops/kalypso"
