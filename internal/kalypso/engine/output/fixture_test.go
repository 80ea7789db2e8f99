// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package output_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/crd"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/fleetgen"
)

// rendered is what one template renders in a fleet.
type rendered struct {
	name  string // as json/namespace.yaml
	files []string
}

// fleets are what the templates of all shapes render.
var fleets = sync.OnceValue(func() []rendered {
	var all []rendered
	for _, shape := range fleetgen.Shapes {
		in := engine.Input{Environment: fleetgen.Environment}
		for i, text := range fleetgen.LargeOf(shape, 300) {
			in.Manifests = append(in.Manifests, manifest.Text{Name: fmt.Sprintf("manifests[%d]", i), Text: text})
		}
		result, err := engine.Compute(context.Background(), in)
		if err != nil {
			panic(err) // TestShapes tells more
		}
		byName := map[string][]string{}
		files := result.Files()
		for _, file := range slices.Sorted(maps.Keys(files)) {
			if path.Ext(file) == ".yaml" {
				byName[path.Base(file)] = append(byName[path.Base(file)], string(files[file]))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(byName)) {
			all = append(all, rendered{shape.Name + "/" + name, byName[name]})
		}
	}
	return all
})

// schemas are those of Kubernetes, Flux and Argo CD.
var schemas = sync.OnceValue(func() *apischema.Schemas {
	objects, err := manifest.Decode([]manifest.Text{{Name: "definitions", Text: crd.Definitions()}})
	if err != nil {
		panic(err)
	}
	return apischema.New(manifest.Of[*manifest.CustomResourceDefinition](objects))
})

// fragments are what is written into texts: what is harmless, and what is not.
var fragments = []string{
	"x", "app-12", "a b", "v1", "12", "true", "null", "~", "kind", "name", "metadata", "Secret", "List", "1.5", "2001-12-14", "y", "no",
	" ", "  ", "\t", "\n", "\n\n", "\n  ", "\n    ", "\n---\n", "---", "...", "\n...\n", "\r\n", "\r", "# c", " # c", " #", "#",
	": ", ":", ":x", "- ", "-", "? ", "{", "}", "[", "]", ",", ", ", "{}", "[]", "&a ", "*a", "*name", "<<", "<<: ", "!", "!!str ", "!!int ", "|", ">-\n", "|2", "%", "@", "`",
	"'", "''", `"`, `""`, `\`, `\n`, `\"`, `\u00e9`, `\ud800`, `\x41`, "é", "\u00a0", "\u0085", "\u2028", "\ufeff", "\xff", "\x01", "日本", "🚀",
	"name: x", "a: b\n", "b", "data", "sops", "items", "https://x:80/y", "a: &x b", strings.Repeat("long", 300), "",
}

// mutate writes fragments into a text, mostly in place of something.
func mutate(r *rand.Rand, text string) string {
	for range 1 + r.IntN(2) {
		from := r.IntN(len(text) + 1)
		to := min(len(text), from+r.IntN(8))
		if r.IntN(2) == 0 { // a whole word
			for from > 0 && isWordByte(text[from-1]) {
				from--
			}
			for to = from; to < len(text) && isWordByte(text[to]); to++ {
			}
		}
		text = text[:from] + fragments[r.IntN(len(fragments))] + text[to:]
	}
	return text
}

func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-/.", c) >= 0
}
