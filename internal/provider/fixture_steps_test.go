// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"reflect"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
)

// inSteps applies steps one after another, with the provider in this process.
func inSteps(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	inStepsWith(t, protoV6ProviderFactories, steps...)
}

// inStepsWith is inSteps with another provider. It does what resource.Test does, with a
// third of its runs of the CLI: it plans and looks into plan and state only where a step
// checks them, and destroys nothing in the end. After each step nothing is left to do,
// unless ExpectNonEmptyPlan is set.
func inStepsWith(t *testing.T, providers factories, steps ...resource.TestStep) {
	t.Helper()
	w := newWorkspace(t, "")
	w.providers = providers
	for i, step := range steps {
		if step.PreConfig != nil {
			step.PreConfig()
		}
		if step.Config != "" {
			w.write(t, "main.tf", step.Config)
		}
		if w.take(t, step); t.Failed() {
			t.Fatalf("this was step %d", i+1)
		}
	}
}

// take runs one step, after its configuration was written.
func (w workspace) take(t *testing.T, step resource.TestStep) {
	t.Helper()
	known := step
	known.PreConfig, known.Config, known.Check, known.ExpectError, known.ExpectNonEmptyPlan, known.RefreshState = nil, "", nil, nil, false,
		false
	known.ConfigStateChecks, known.ConfigPlanChecks.PreApply = nil, nil
	if !reflect.DeepEqual(known, resource.TestStep{}) {
		t.Fatalf("inSteps does not know a field of %+v", known)
	}
	switch before := step.ConfigPlanChecks.PreApply; {
	case step.ExpectError != nil:
		if step.Check != nil || len(step.ConfigStateChecks)+len(before) > 0 {
			t.Fatal("a step that fails checks nothing else")
		}
		if out, err := w.errors(applying...); err == nil || !step.ExpectError.MatchString(out) {
			t.Errorf("want an error that says %s, got %v\n%s", step.ExpectError, err, out)
		}
		return
	case step.RefreshState:
		if len(before) > 0 {
			t.Fatal("a refresh has no plan to check")
		}
		w.mustRun(t, "apply", "-refresh-only", "-auto-approve")
	case len(before) == 0:
		w.mustRun(t, applying...)
	default:
		w.mustRun(t, "plan", "-out=saved")
		var plan tfjson.Plan
		w.shows(t, &plan, "saved")
		for _, check := range before {
			var resp plancheck.CheckPlanResponse
			if check.CheckPlan(t.Context(), plancheck.CheckPlanRequest{Plan: &plan}, &resp); resp.Error != nil {
				t.Error(resp.Error)
			}
		}
		w.mustRun(t, "apply", "saved")
	}
	if len(step.ConfigStateChecks) > 0 {
		var state tfjson.State
		w.shows(t, &state)
		checkState(t, &state, step.ConfigStateChecks)
	}
	if step.Check != nil {
		if err := step.Check(nil); err != nil {
			t.Error(err)
		}
	}
	out, _, err := w.run("plan", "-detailed-exitcode")
	var exit *exec.ExitError
	if changes := errors.As(err, &exit) && exit.ExitCode() == 2; changes != step.ExpectNonEmptyPlan || err != nil && !changes {
		t.Errorf("the next plan has changes: %t: %v\n%s", changes, err, out)
	}
}

// shows reads the state, or a plan from a file.
func (w workspace) shows(t testing.TB, of interface {
	json.Unmarshaler
	UseJSONNumber(use bool)
}, file ...string) {
	t.Helper()
	of.UseJSONNumber(true)
	command := w.command(append([]string{"show", "-json"}, file...)...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	text, err := command.Output()
	if err == nil {
		err = of.UnmarshalJSON(text)
	}
	if err != nil {
		t.Fatalf("%v\n%s%s", err, text, stderr.String())
	}
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
