// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Command benchtable makes BENCHMARKS.md from the output of `go test -bench`, which it reads
// from standard input. It writes a table of the results beside the aims, with a mark at each
// aim that is missed. With -check, it fails if a plan is much slower than its aim.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
)

func main() {
	isCheck := flag.Bool("check", false, "fail if a plan needs half more than its aim, or more than its own bound")
	flag.Parse()
	results, err := read(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := os.Stdout.WriteString(page(results)); err != nil {
		log.Fatal(err)
	}
	if slow := check(results); *isCheck && len(slow) > 0 {
		log.Fatalf("these are too slow:\n%s", strings.Join(slow, "\n"))
	}
}

// check returns the checked rows that are beyond their bounds, or were not measured.
func check(r results) (slow []string) {
	for _, s := range sections {
		for _, row := range s.rows {
			value, text, ok := row.measure(r)
			if row.isChecked && (!ok || value > row.bound) {
				slow = append(slow, fmt.Sprintf("%s: %s, at most %g times", row.what, text, row.bound))
			}
		}
	}
	return slow
}

// page returns the whole page. It leaves out rows that were not measured, and tables
// without rows, so that a run of some benchmarks shows only these. The end of the page
// lists the missing rows.
func page(r results) string {
	var b strings.Builder
	fmt.Fprintf(&b, preface, r.machine())
	var seen tally
	for _, s := range sections {
		var rows []string
		for _, row := range s.rows {
			text, fallsShort, ok := row.render(r)
			seen.count(s, row, fallsShort, ok)
			if ok {
				rows = append(rows, text)
			}
		}
		if len(rows) > 0 {
			fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| | measured | aim | |\n|---|---|---|---|\n%s\n", s.title, s.text, strings.Join(rows, "\n"))
		}
	}
	fmt.Fprintf(&b, "\n%s\n", seen.summary())
	list(&b, "Not measured", seen.unmeasured)
	list(&b, "Measured, but in no table", r.without(sections))
	return b.String()
}

// list writes a list, unless it is empty.
func list(b *strings.Builder, title string, lines []string) {
	if len(lines) > 0 {
		fmt.Fprintf(b, "\n%s:\n\n- %s\n", title, strings.Join(lines, "\n- "))
	}
}

// tally counts aims, and has the rows that were not measured.
type tally struct {
	aims, measured, missed int
	unmeasured             []string
}

func (t *tally) count(s section, r row, fallsShort, ok bool) {
	if !ok {
		t.unmeasured = append(t.unmeasured, fmt.Sprintf("%s: %s (`%s`, %s)", s.title, r.what, r.bench, r.unit))
	}
	if r.aim == 0 {
		return
	}
	t.aims++
	if ok {
		t.measured++
	}
	if fallsShort {
		t.missed++
	}
}

func (t *tally) summary() string {
	return fmt.Sprintf("%d of %d aims were measured, and %d of these are missed.", t.measured, t.aims, t.missed)
}
