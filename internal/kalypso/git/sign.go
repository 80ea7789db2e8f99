// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	"github.com/hiddeco/sshsig"
)

// SigningKey is a private key that signs commits. Many goroutines may use it at the same time.
// The zero value is a missing key: it signs nothing.
type SigningKey struct {
	// sign returns the armored signature of a content at a time.
	sign func(content []byte, now time.Time) (string, error)
}

// signingNames are the names of a signing key in errors.
var signingNames = keyNames{"commit_signing.key (KALYPSO_SIGNING_KEY)", "commit_signing.key_password", "KALYPSO_SIGNING_KEY_PASSWORD"}

// NewSigningKey reads a private key: an armored OpenPGP key, or an SSH key as PEM text. The
// password decrypts it; empty for none. Errors: the key is not valid, or cannot sign at the
// time now. They contain no part of the key.
func NewSigningKey(text, password string, now time.Time) (*SigningKey, error) {
	if strings.Contains(text, "-----BEGIN PGP ") {
		return openPGPKey(text, password, now)
	}
	signer, err := parseKey(text, password, signingNames)
	if err != nil {
		return nil, err
	}
	sign := func(content []byte, _ time.Time) (string, error) {
		signature, err := sshsig.Sign(bytes.NewReader(content), signer, sshsig.HashSHA512, "git")
		if err != nil {
			return "", err
		}
		return string(sshsig.Armor(signature)), nil
	}
	return &SigningKey{sign: sign}, nil
}

func openPGPKey(text, password string, now time.Time) (*SigningKey, error) {
	keys, err := openpgp.ReadArmoredKeyRing(strings.NewReader(text))
	if err != nil || len(keys) != 1 || keys[0].PrivateKey == nil {
		return nil, fmt.Errorf("%s is not one valid OpenPGP private key. Pass the output of \"gpg --armor --export-secret-keys ID\"",
			signingNames.key)
	}
	key := keys[0]
	signer, ok := key.SigningKey(now)
	if !ok || signer.PrivateKey == nil || signer.PrivateKey.Dummy() { // an export may omit secret keys
		return nil, fmt.Errorf("the OpenPGP key %s in %s has no secret key for signing that is valid now. Use a key that is neither expired "+
			"nor revoked, or add a subkey for signing, and export the key again", key.PrimaryKey.KeyIdString(), signingNames.key)
	}
	if signer.PrivateKey.Encrypted && password == "" {
		return nil, signingNames.encrypted()
	}
	if signer.PrivateKey.Decrypt([]byte(password)) != nil {
		return nil, signingNames.wrongPassword()
	}
	at := func(now time.Time) *packet.Config {
		return &packet.Config{Time: func() time.Time { return now }, SigningKeyId: signer.PublicKey.KeyId}
	}
	sign := func(content []byte, now time.Time) (string, error) {
		var signature strings.Builder
		err := openpgp.ArmoredDetachSign(&signature, key, bytes.NewReader(content), at(now))
		return signature.String(), err
	}
	return &SigningKey{sign: sign}, nil
}

// armored returns the armored signature of a commit. Errors: the key is missing, or has expired
// during the run.
func (k *SigningKey) armored(commit []byte, now time.Time) (string, error) {
	if k.sign == nil {
		return "", errors.New("the commit was not made: it needs a signature, and the provider has no signing key. Set commit_signing.key or " +
			"KALYPSO_SIGNING_KEY, and apply again")
	}
	signature, err := k.sign(commit, now)
	if err != nil {
		return "", fmt.Errorf("the commit cannot be signed. Plan again: the plan checks %s. Cause: %w", signingNames.key, err)
	}
	return signature, nil
}
