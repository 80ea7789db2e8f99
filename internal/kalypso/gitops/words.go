// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gitops

import "strings"

// Words makes what a server said fit to be shown in a message: no web pages, no
// control characters, not too many.
func Words(text string) string { return cut(text) }

// Mask gives a replacer that takes the secrets out of messages.
func Mask(secrets ...string) *strings.Replacer {
	credentials := make([]Credential, len(secrets))
	for i, secret := range secrets {
		credentials[i].Password = secret
	}
	return secretReplacer(credentials)
}

// IsTLS tells whether an error is about a certificate that is not accepted.
func IsTLS(err error) bool { return isTLS(err) }
