// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Command getterraform downloads a release of Terraform into an empty folder:
//
//	getterraform VERSION FOLDER
//
// It verifies the signature and the checksum before it unpacks anything.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/hashicorp/go-version"
	"github.com/hashicorp/hc-install/product"
	"github.com/hashicorp/hc-install/releases"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: getterraform VERSION FOLDER")
	}
	official := server{url: "https://releases.hashicorp.com", patience: 5 * time.Second}
	if err := official.install(context.Background(), os.Args[1], os.Args[2]); err != nil {
		log.Fatalf("Terraform could not be downloaded: %v.", err)
	}
}

// server is a server of releases.
type server struct {
	url      string
	key      string        // the armored public key that verifies releases; empty: HashiCorp's
	patience time.Duration // how long the server may take to answer a request
}

// install downloads the version of Terraform, verifies it and unpacks it into the folder,
// which has to be empty. The library does not report an incomplete archive, or another
// version with a valid signature, so the caller has to check the program by running it.
func (s server) install(ctx context.Context, number, folder string) error {
	v, err := version.NewVersion(number)
	if err != nil {
		return err
	}
	exact := releases.ExactVersion{
		Product: product.Terraform, Version: v, InstallDir: folder, Timeout: 10 * time.Minute,
		ApiBaseURL: s.url, ArmoredPublicKey: s.key, HTTPClient: s.client(),
	}
	_, err = exact.Install(ctx)
	// If the library unpacks nothing, it drops the error.
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the archive is incomplete, or its checksum is not the signed checksum: %w", err)
	}
	return err
}

// client returns a client with short timeouts and without retries, because a person waits
// for it. Without a network, scripts build OpenTofu instead.
func (s server) client() *http.Client {
	return &http.Client{Transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: s.patience}).DialContext,
		TLSHandshakeTimeout:   s.patience,
		ResponseHeaderTimeout: s.patience,
		ForceAttemptHTTP2:     true,
	}}
}
