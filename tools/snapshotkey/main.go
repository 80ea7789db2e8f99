// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Command snapshotkey signs one file of a snapshot with a new key, in the place of gpg:
//
//	snapshotkey --batch --local-user NAME --output SIGNATURE --detach-sign FILE
//
// It writes the public key to key.asc beside the signature, and forgets the private key.
package main

import (
	"bytes"
	"errors"
	"flag"
	"log"
	"os"
	"path/filepath"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
)

func main() {
	log.SetFlags(0)
	output := flag.String("output", "", "the file for the signature")
	flag.Bool("batch", false, "ignored")
	flag.Bool("detach-sign", false, "ignored")
	flag.String("local-user", "", "ignored")
	flag.Parse()
	if err := sign(flag.Arg(0), *output); err != nil {
		log.Fatalf("%s is not signed: %v.", flag.Arg(0), err)
	}
}

// sign writes the signature of a file, and the public key.
func sign(file, output string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	key, err := openpgp.NewEntity("A snapshot of terraform-provider-kalypso", "", "", nil)
	if err != nil {
		return err
	}
	var signature, public bytes.Buffer
	armored, err := armor.Encode(&public, openpgp.PublicKeyType, nil)
	if err != nil {
		return err
	}
	err = errors.Join(openpgp.DetachSign(&signature, key, bytes.NewReader(content), nil), key.Serialize(armored), armored.Close())
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(output, signature.Bytes(), 0o600),
		os.WriteFile(filepath.Join(filepath.Dir(output), "key.asc"), public.Bytes(), 0o600))
}
