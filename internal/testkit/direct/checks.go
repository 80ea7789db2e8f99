// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package direct

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// Expect wants no error, and checks the known values as those of a state.
func (d *Plan) Expect(t testing.TB, checks ...statecheck.StateCheck) *Plan {
	t.Helper()
	if told := d.Told(); strings.Contains(told, "ERROR: ") {
		t.Fatal(told)
	}
	checkState(t, d.state(), checks)
	return d
}

// checkState checks a state.
func checkState(t testing.TB, state *tfjson.State, checks []statecheck.StateCheck) {
	t.Helper()
	for _, check := range checks {
		var resp statecheck.CheckStateResponse
		if check.CheckState(t.Context(), statecheck.CheckStateRequest{State: state}, &resp); resp.Error != nil {
			t.Error(resp.Error)
		}
	}
}

// state is what is known of outputs, resources and data sources.
func (d *Plan) state() *tfjson.State {
	module, outputs := &tfjson.StateModule{}, map[string]*tfjson.StateOutput{}
	for address, value := range d.Values {
		if name, ok := strings.CutPrefix(address, "output."); ok && value.IsWhollyKnown() {
			outputs[name] = &tfjson.StateOutput{Value: d.plain(value)}
		}
		if d.blocks[address] == nil || !value.IsKnown() {
			continue
		}
		known := map[string]any{}
		for name, attribute := range value.AsValueMap() {
			if attribute.IsWhollyKnown() {
				known[name] = d.plain(attribute)
			}
		}
		module.Resources = append(module.Resources, &tfjson.StateResource{Address: address, AttributeValues: known})
	}
	return &tfjson.State{Values: &tfjson.StateValues{Outputs: outputs, RootModule: module}}
}

// plain is a value as JSON has it.
func (d *Plan) plain(value cty.Value) (plain any) {
	text, err := ctyjson.Marshal(value, value.Type())
	d.must(err)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	d.must(decoder.Decode(&plain))
	return plain
}

// Fails wants an error that says these words.
func (d *Plan) Fails(t testing.TB, words string) {
	t.Helper()
	d.says(t, "ERROR", words)
}

// Warns wants a warning that says these words.
func (d *Plan) Warns(t testing.TB, words string) {
	t.Helper()
	d.says(t, "WARNING", words)
}

func (d *Plan) says(t testing.TB, severity, words string) {
	t.Helper()
	told := d.Told()
	for line := range strings.Lines(told) {
		if strings.HasPrefix(line, severity+": ") && strings.Contains(line, strings.Join(strings.Fields(words), " ")) {
			return
		}
	}
	t.Errorf("no %s says %q:\n%s", severity, words, told)
}

// Told returns all messages, each on one line.
func (d *Plan) Told() string {
	var b strings.Builder
	for _, each := range d.Said {
		fmt.Fprintf(&b, "%s: %s\n", each.Severity, strings.Join(strings.Fields(each.Summary+": "+each.Detail), " "))
	}
	return b.String()
}
