// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

//go:build ignore

// Makes definitions.yaml of CustomResourceDefinitions, without their prose:
// go run definitions.go FILE... > definitions.yaml
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

func main() {
	for _, file := range os.Args[1:] {
		text, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		objects, err := manifest.Decode([]manifest.Text{{Name: file, Text: string(text)}})
		if err != nil {
			log.Fatal(err)
		}
		for _, o := range objects {
			fmt.Print("---\n", manifest.Encode(o))
		}
	}
}
