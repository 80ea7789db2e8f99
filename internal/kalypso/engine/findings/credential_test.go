// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import "testing"

func TestSecretValue(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"mysql://root:hunter2@db/shop":                                         "holds a URL with a password",
		"mysql://root@db/shop":                                                 "",
		"mysql://root:${PASSWORD}@db/shop":                                     "",
		"mysql://west-stage:8806/mysql":                                        "",
		"-----BEGIN RSA PRIVATE KEY-----\nMIIE":                                "holds a private key",
		"-----BEGIN CERTIFICATE-----\nMIIE":                                    "",
		"AKIAIOSFODNN7EXAMPLE":                                                 "holds an access key of AWS",
		"Server=db;User Id=sa;Password=hunter2;":                               "holds a connection string with a password",
		"DefaultEndpointsProtocol=https;AccountKey=bXlrZXlteWtleW15a2V5bQ==":   "holds a connection string with a key",
		"ghp_0123456789abcdefghijABCDEFGHIJ012345":                             "holds a token of GitHub",
		"db:\n  host: x\n  password: hunter2\n":                                "sets password, which is a credential by its name",
		"{\n  \"api_key\": \"abc\",\n}":                                        "sets api_key, which is a credential by its name",
		"db.password=hunter2":                                                  "sets db.password, which is a credential by its name",
		"password: \"{{ .ConfigData.x }}\"":                                    "",
		"secretName: registry\npasswordFile: /run/secret\ntokenUrl: https://x": "",
		"secretKeyRef:\n  name: db\n  key: password":                           "",
		"token: \"\"\nsecret: null\npassword: {}":                              "",
	} {
		if got := secretValue(value); got != want {
			t.Errorf("%q: got %q, want %q", value, got, want)
		}
	}
}

func TestIsSecretName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"DB_PASSWORD": true, "dbPassword": true, "client-secret": true, "region.west.API_KEY": true, "APIKEY": true, "TOKEN": true,
		"SECRET_NAME": false, "PASSWORD_POLICY": false, "TOKENS": false, "KEY": false, "REGION": false, "": false, "__": false,
	} {
		if got := isSecretName(name); got != want {
			t.Errorf("%q: got %v, want %v", name, got, want)
		}
	}
}

func TestIsReference(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{
		"": true, " ": true, "true": true, "${TOKEN}": true, "$(TOKEN)": true, "{{ .x }}": true, "/run/secrets/db": true, "https://vault/x": true,
		"ref+vault://x": true, "ENC[AES256]": true, "<set me>": true, "*****": true, `"",`: true,
		"hunter2": false, "trueish": false, `"hunter2",`: false, "pa$$word": false,
	} {
		if got := isReference(value); got != want {
			t.Errorf("%q: got %v, want %v", value, got, want)
		}
	}
}
