// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"golang.org/x/crypto/ssh"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

type credentialModel struct {
	URLPrefix             string  `tfsdk:"url_prefix"`
	Username              *string `tfsdk:"username"`
	Password              *string `tfsdk:"password"`
	SSHPrivateKey         *string `tfsdk:"ssh_private_key"`
	SSHPrivateKeyPassword *string `tfsdk:"ssh_private_key_password"`
	SSHKnownHosts         *string `tfsdk:"ssh_known_hosts"`
	tlsModel
}

func gitBlock() schema.Block {
	return schema.ListNestedBlock{
		MarkdownDescription: "A credential for Git repositories. The block with the longest matching `url_prefix` counts. For a single " +
			"credential, [environment variables](#credentials-from-environment-variables) are enough.",
		NestedObject: schema.NestedBlockObject{
			Attributes: serverAttributes(map[string]schema.Attribute{
				"username":                 providerText("User name for HTTPS; any text if the forge needs only a token."),
				"password":                 providerSecret("Password or access token for HTTPS.", oneLine),
				"ssh_private_key":          providerSecret("Private key for SSH, as PEM text.", pemText),
				"ssh_private_key_password": providerSecret("Password of the private key."),
				"ssh_known_hosts": providerText("Host keys for SSH, as lines of a `known_hosts` file. The provider refuses other hosts.",
					knownHosts),
			}),
		},
	}
}

type tlsModel struct {
	CABundle          *string `tfsdk:"ca_bundle"`
	ClientCertificate *string `tfsdk:"client_certificate"`
	ClientKey         *string `tfsdk:"client_key"`
}

func (m tlsModel) tls() remote.TLS {
	return remote.TLS{CABundle: text(m.CABundle), ClientCertificate: text(m.ClientCertificate), ClientKey: text(m.ClientKey)}
}

// serverAttributes adds what each block about servers has: which repositories it is for, and TLS.
func serverAttributes(own map[string]schema.Attribute) map[string]schema.Attribute {
	with := func(name string) validator.String {
		return stringvalidator.AlsoRequires(path.MatchRelative().AtParent().AtName(name))
	}
	maps.Copy(own, map[string]schema.Attribute{
		"url_prefix": providerNeeds("Beginning of the repositories' URLs, such as `https://github.com/contoso/`.", urlPrefix),
		"ca_bundle":  providerText("More certificates of authorities to trust for HTTPS, as PEM text.", certificates),
		"client_certificate": providerText("Client certificate for HTTPS with its chain, as PEM text. Needs `client_key`.",
			certificates, with("client_key")),
		"client_key": providerSecret("Private key of `client_certificate`, as PEM text without a password.", pemText,
			with("client_certificate")),
	})
	return own
}

// credentials returns the configured credentials, and the credential from environment
// variables. The latter has the empty prefix, so every configured credential takes
// precedence.
func credentials(models []credentialModel, getenv func(string) string, diags *diag.Diagnostics) []git.Credential {
	var all []git.Credential
	seen := prefixes{}
	for i, m := range models {
		seen.add("git", i, m.URLPrefix, diags)
		all = append(all, git.Credential{
			URLPrefix:             m.URLPrefix,
			Username:              text(m.Username),
			Password:              text(m.Password),
			SSHPrivateKey:         text(m.SSHPrivateKey),
			SSHPrivateKeyPassword: text(m.SSHPrivateKeyPassword),
			SSHKnownHosts:         text(m.SSHKnownHosts),
			TLS:                   m.tls(),
		})
	}
	if c := environmentCredential(getenv, diags); c != nil {
		all = append(all, *c)
	}
	return all
}

// prefixes are the positions of blocks by their prefixes.
type prefixes map[remote.Prefix]int

// add reports a prefix that another block of the same name has too.
func (p prefixes) add(block string, i int, prefix string, diags *diag.Diagnostics) {
	same := remote.ParsePrefix(prefix)
	if first, twice := p[same]; twice {
		diags.AddAttributeError(path.Root(block).AtListIndex(i).AtName("url_prefix"), "Duplicate url_prefix",
			fmt.Sprintf("%[1]s[%[2]d] and %[1]s[%[3]d] both are for %[4]s, so the provider cannot choose between them. Remove one of them, or "+
				"make its prefix longer.", block, first, i, prefix))
	}
	p[same] = i
}

// The texts of a credential. Their errors never quote the text.
var (
	urlPrefix = textCheck{"must be the beginning of git URLs", checkURLPrefix}
	pemText   = textCheck{"must be PEM text", func(text string) error {
		if block, _ := pem.Decode([]byte(text)); block == nil {
			return errors.New(`the text contains no block that starts with "-----BEGIN". Pass the content of the file, not its name`)
		}
		return nil
	}}
	certificates = textCheck{"must be PEM text with certificates", func(text string) error {
		if !x509.NewCertPool().AppendCertsFromPEM([]byte(text)) {
			return errors.New(`the text contains no certificate ("-----BEGIN CERTIFICATE-----"). Pass the content of the file, not its name`)
		}
		return nil
	}}
	oneLine = textCheck{"must end without a line break", func(text string) error {
		if strings.HasSuffix(text, "\n") {
			return errors.New("the text ends with a line break, as most files do, and servers refuse it. Remove the line break, for example " +
				"with trimspace(file(…))")
		}
		return nil
	}}
	knownHosts    = textCheck{"must be lines of a known_hosts file", checkKnownHosts}
	signaturePart = textCheck{"must be a text for the signature of a commit", func(text string) error {
		if strings.TrimSpace(text) == "" || strings.ContainsAny(text, "<>\n\x00") {
			return errors.New(`the text is empty, or contains "<", ">" or a line break`)
		}
		return nil
	}}
)

func checkURLPrefix(text string) error {
	scheme, rest, isURL := strings.Cut(text, "://")
	if !isURL {
		rest = text // user@host:path
	}
	authority, _, _ := strings.Cut(rest, "/")
	user, host, hasUser := strings.Cut(authority, "@")
	switch {
	case isURL && strings.Contains(user, ":") && hasUser:
		return errors.New("the prefix contains a password. Remove it, and set username and password instead")
	case isURL && hasUser && strings.HasPrefix(scheme, "http"):
		return errors.New("the prefix contains a user name, which may be a token. Remove it, and set username and password instead")
	case isURL && slices.Contains([]string{"https", "http", "ssh", "file"}, scheme):
		return nil
	case !isURL && user != "" && host != "":
		return nil
	}
	return errors.New(`the prefix has to start with "https://", "http://", "ssh://", "file://" or "user@host"`)
}

func checkKnownHosts(text string) error {
	rest := []byte(text)
	for n := 0; ; n++ {
		var err error
		_, _, _, _, rest, err = ssh.ParseKnownHosts(rest)
		switch {
		case errors.Is(err, io.EOF) && n > 0:
			return nil
		case errors.Is(err, io.EOF):
			return errors.New("the text contains no host key. Pass the content of the file, not its name")
		case err != nil:
			return fmt.Errorf("entry %d is not readable: %w", n+1, err)
		}
	}
}
