// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Command terraform-provider-kalypso serves the provider to Terraform and OpenTofu.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"runtime"
	"runtime/debug"
	_ "time/tzdata" // time zones of windows and freezes, for a system without them

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/provider"
)

// version is set by the release build.
var version = "dev"

// gcPercent limits garbage to a percentage of the memory in use. The rendered files of a
// large fleet stay in memory, so Go's default of 100 would nearly double the memory. The
// price is a tenth more processor time. gcPercentAtStart applies until the first
// collection: until then, little memory is in use, and a process that only returns its
// schemas ends without a collection.
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
		// The first collection frees this string, and sets gcPercent.
		runtime.AddCleanup(new(string), func(percent int) { debug.SetGCPercent(percent) }, gcPercent)
	}
	options := providerserver.ServeOpts{Address: "registry.terraform.io/kalypso-gitops/kalypso", Debug: *forDebugger}
	if err := providerserver.Serve(context.Background(), provider.New(version), options); err != nil {
		log.Fatal(err)
	}
}
