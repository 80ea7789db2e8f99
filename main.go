// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Command terraform-provider-kalypso serves the provider to Terraform and OpenTofu.
package main

import (
	"flag"
	"log"
	"os"
	"runtime"
	"runtime/debug"
	_ "time/tzdata" // the zones of promotion windows, where the system has none

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/provider"
)

// version is set by the release build.
var version = "dev"

// gcPercent is how much garbage may lie beside the memory in use. A large fleet is rendered
// files, which are kept, so the usual 100 would nearly double the memory. It costs a tenth
// more processor time. Before the first collection nothing large is in use, and a process
// that only returns its schemas ends before it collects.
const (
	gcPercentAtStart = 400
	gcPercent        = 40
)

func main() {
	forDebugger := flag.Bool("debug", false, "serve until interrupted, for a debugger to attach to")
	flag.Parse()

	if err := provider.QuietFramework(); err != nil {
		log.Fatal(err)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercentAtStart)
		// The first collection frees this string, and so ends the start.
		runtime.AddCleanup(new(string), func(percent int) { debug.SetGCPercent(percent) }, gcPercent)
	}
	if err := provider.Serve("registry.terraform.io/kalypso-gitops/kalypso", version, *forDebugger); err != nil {
		log.Fatal(err)
	}
}
