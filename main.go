// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Command terraform-provider-kalypso serves the provider to Terraform and OpenTofu.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/provider"
)

// version is set by the release build.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "serve until interrupted, for a debugger to attach to")
	flag.Parse()

	if err := provider.QuietFramework(); err != nil {
		log.Fatal(err)
	}
	err := providerserver.Serve(context.Background(), provider.New(version), providerserver.ServeOpts{
		Address: "registry.terraform.io/kalypso-gitops/kalypso",
		Debug:   *debug,
	})
	if err != nil {
		log.Fatal(err)
	}
}
