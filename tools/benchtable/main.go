// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Command benchtable makes BENCHMARKS.md of what `go test -bench` prints: it reads that
// from standard input, and writes a table of what was measured beside the aims, with a
// mark where one is missed.
package main

import (
	"fmt"
	"log"
	"os"
	"strings"
)

func main() {
	results, err := read(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := os.Stdout.WriteString(page(results)); err != nil {
		log.Fatal(err)
	}
}

// page returns the whole page. A row whose benchmark did not run is left out, and so is a
// section without rows: who runs some of the benchmarks sees those.
func page(r results) string {
	var b strings.Builder
	fmt.Fprintf(&b, preface, r.machine())
	missed := 0
	for _, s := range sections {
		var rows []string
		for _, row := range s.rows {
			text, fallsShort, ok := row.render(r)
			if !ok {
				continue
			}
			if fallsShort {
				missed++
			}
			rows = append(rows, text)
		}
		if len(rows) > 0 {
			fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| | measured | aim | |\n|---|---|---|---|\n%s\n", s.title, s.text, strings.Join(rows, "\n"))
		}
	}
	fmt.Fprintf(&b, "\n%s\n", summary(missed))
	return b.String()
}

func summary(missed int) string {
	switch missed {
	case 0:
		return "All aims are met."
	case 1:
		return "One aim is missed."
	}
	return fmt.Sprintf("%d aims are missed.", missed)
}
