// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"encoding/json"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/conformance"
)

// TestLineEndings renders each fleet with the line ends of Windows: the bytes are the same. The
// manifests are files of a check-out, or come from yamlencode, whose texts are escaped.
func TestLineEndings(t *testing.T) {
	t.Parallel()
	for _, fleet := range conformance.Fleets(t) {
		t.Run(fleet.Name, func(t *testing.T) {
			t.Parallel()
			var unix, windows, escaped []manifest.Text
			for name, text := range fleet.In {
				if path.Ext(name) == ".yaml" {
					unix = append(unix, manifest.Text{Name: name, Text: text})
					windows = append(windows, manifest.Text{Name: name, Text: onWindows(text)})
				}
			}
			objects, err := manifest.Decode(unix)
			if err != nil {
				t.Fatal(err)
			}
			for _, object := range objects {
				escaped = append(escaped, manifest.Text{Name: object.Metadata().ID(), Text: encoded(t, object)})
			}
			want := rendered(t, fleet.Environment, unix)
			for name, manifests := range map[string][]manifest.Text{"files": windows, "yamlencode": escaped} {
				if diff := cmp.Diff(want, rendered(t, fleet.Environment, manifests)); diff != "" {
					t.Errorf("%s (-LF +CRLF):\n%s", name, diff)
				}
			}
		})
	}
}

func rendered(t *testing.T, environment string, manifests []manifest.Text) map[string]string {
	t.Helper()
	result, err := engine.Compute(t.Context(), engine.Input{Environment: environment, Manifests: manifests})
	if err != nil {
		t.Fatal(err)
	}
	return files(result)
}

func onWindows(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}

// encoded returns an object as yamlencode writes it, with texts from a check-out on Windows.
func encoded(t *testing.T, object manifest.Object) string {
	t.Helper()
	var value any
	if err := yaml.Unmarshal([]byte(manifest.Encode(object)), &value); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), `\n`, `\r\n`)
}
