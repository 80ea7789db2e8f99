// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/flux"
)

// takenObjects are objects that clusters take.
func takenObjects(t *testing.T) []string {
	t.Helper()
	return strings.Split(readFile(t, "testdata/taken.yaml"), "---\n")
}

// TestAccFlux_strict compares the finding OBJECT_INVALID with a real API server: if the
// finding reports one of many spoilt objects, the server refuses this object. The limits of names are the server's.
func TestAccFlux_strict(t *testing.T) {
	t.Parallel()
	acceptance(t)
	cluster := flux.NewCluster(t)
	found, missed := 0, 0
	for _, text := range takenObjects(t) {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(text), &object); err != nil {
			t.Fatal(err)
		}
		if said, faults := cluster.Refusal(t, text), strictFaults(t, object); said != "" || faults != "" {
			t.Errorf("%v is right, but the server says %q, and %q is found", object["kind"], said, faults)
		}
		nameLengths(t, cluster, object["kind"], text)
		spoil(object, func(change string) {
			spoilt, err := json.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			said, faults := cluster.Refusal(t, string(spoilt)), strictFaults(t, object)
			switch {
			case faults != "" && said == "":
				t.Errorf("%v, %s: the server takes it, but %q is found", object["kind"], change, faults)
			case faults != "":
				found++
			case said != "":
				missed++
			}
		})
	}
	t.Logf("%d objects are refused for what is found, and %d for other reasons", found, missed)
	if found < 8000 {
		t.Errorf("%d objects are refused for what is found, so the test proves little", found)
	}
}

// nameLengths compares the finding NAME_TOO_LONG with the server's answers about names, for kinds whose names the
// server itself limits.
func nameLengths(t *testing.T, cluster *flux.Cluster, kind any, text string) {
	t.Helper()
	most := map[any]int{"Namespace": 63, "Service": 63, "CronJob": 52}[kind]
	for _, length := range []int{most, most + 1} {
		said := cluster.Refusal(t, strings.Replace(text, "name: x", "name: "+strings.Repeat("x", length), 1))
		if most > 0 && (said != "") != (length > most) {
			t.Errorf("of a %s with a name of %d characters, the server says %q", kind, length, said)
		}
	}
}

// strictFaults returns the faults that are found in an object.
func strictFaults(t *testing.T, object map[string]any) string {
	t.Helper()
	var document yaml.Node
	if err := document.Encode(object); err != nil {
		t.Fatal(err)
	}
	faults := apischema.Check(&document)
	if len(faults) == 0 {
		return ""
	}
	return fmt.Sprint(faults)
}

// spoil changes an object in one place after the other, and calls a function each time.
func spoil(object map[string]any, spoilt func(change string)) {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if key != "apiVersion" && key != "kind" {
			spoilField(object, key, key, spoilt)
		}
	}
	object["unknown"] = "x"
	spoilt("an unknown field")
	delete(object, "unknown")
}

func spoilField(within map[string]any, key, at string, spoilt func(change string)) {
	original := within[key]
	if at != "metadata.name" {
		delete(within, key)
		spoilt(at + " is gone")
	}
	for _, other := range []any{nil, "text", "", 1, -1, 1.5, true, []any{}, []any{"a"}, []any{nil}, map[string]any{}, map[string]any{"a": "b"},
		map[string]any{"a": nil}} {
		if at != "metadata" && at != "metadata.name" {
			within[key] = other
			spoilt(fmt.Sprintf("%s is %#v", at, other))
		}
	}
	within[key] = original
	switch original := original.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(original)) {
			spoilField(original, key, at+"."+key, spoilt)
		}
		original["unknown"] = "x"
		spoilt(at + " has an unknown field")
		delete(original, "unknown")
	case []any:
		if element, ok := original[0].(map[string]any); ok {
			for _, key := range slices.Sorted(maps.Keys(element)) {
				spoilField(element, key, at+"[0]."+key, spoilt)
			}
			element["unknown"] = "x"
			spoilt(at + "[0] has an unknown field")
			delete(element, "unknown")
		}
	}
}
