// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Command write writes the files of the company to a folder, for scripts/check-scenario: write FOLDER REPOSITORIES.
package main

import (
	"log"
	"os"
	"path/filepath"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/fleetgen"
)

func main() {
	for name, text := range fleetgen.Company(1, os.Args[2]) {
		name = filepath.Join(os.Args[1], filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}
}
