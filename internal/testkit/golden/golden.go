// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package golden compares texts with golden files in testdata, which people review.
package golden

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files as they are now")

// heading begins each document of a file. It has the name of the document.
const heading = "--- # "

// Documents compares what a function writes about each document of a file with a golden file.
func Documents(t *testing.T, from, to string, write func(text string) string) {
	t.Helper()
	all, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for document := range strings.SplitSeq(strings.TrimPrefix(string(all), heading), "\n"+heading) {
		name, text, _ := strings.Cut(document, "\n")
		fmt.Fprintf(&got, "%s%s\n%s", heading, name, write(text))
	}
	if *update {
		if err := os.WriteFile(to, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(to)
	if diff := cmp.Diff(string(want), got.String()); diff != "" || err != nil {
		t.Errorf("%s (-want +got). If that is meant, run the test with -update. Error %v:\n%s", to, err, diff)
	}
}
