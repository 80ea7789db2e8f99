// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package credential

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/race"
)

func TestIn(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"mysql://root:hunter2@db/shop":                                         "contains a URL with a password",
		"mysql://root@db/shop":                                                 "",
		"mysql://root:${PASSWORD}@db/shop":                                     "",
		"mysql://west-stage:8806/mysql":                                        "",
		"-----BEGIN RSA PRIVATE KEY-----\nMIIE":                                "contains a private key",
		"-----BEGIN CERTIFICATE-----\nMIIE":                                    "",
		"AKIAIOSFODNN7EXAMPLE":                                                 "contains an access key of AWS",
		"Server=db;User Id=sa;Password=hunter2;":                               "contains a connection string with a password",
		"DefaultEndpointsProtocol=https;AccountKey=bXlrZXlteWtleW15a2V5bQ==":   "contains a connection string with a key",
		"ghp_0123456789abcdefghijABCDEFGHIJ012345":                             "contains a token of GitHub",
		"db:\n  host: x\n  password: hunter2\n":                                "sets password, which is a credential by its name",
		"{\n  \"api_key\": \"abc\",\n}":                                        "sets api_key, which is a credential by its name",
		"export DB_PASSWORD=hunter2":                                           "sets DB_PASSWORD, which is a credential by its name",
		"- --password=hunter2":                                                 "sets password, which is a credential by its name",
		"db.password=hunter2":                                                  "sets db.password, which is a credential by its name",
		"password: \"{{ .ConfigData.x }}\"":                                    "",
		"secretName: registry\npasswordFile: /run/secret\ntokenUrl: https://x": "",
		"secretKeyRef:\n  name: db\n  key: password":                           "",
		"token: \"\"\nsecret: null\npassword: {}":                              "",
		"password: |\n  hunter2\n":                                             "sets password, which is a credential by its name",
		"password: |\n  {{ .x }}\n":                                            "",
		"secret:\n  name: db\n":                                                "",
		"secret:\n  - db\n":                                                    "",
		"token: &anchor\n  a: b\n":                                             "",
		"{\"user\": \"x\", \"password\": \"hunter2\"}":                         "sets password, which is a credential by its name",
		"{user: x, password: {{ .x }}}":                                        "",
		"env:\n  - name: DB_PASSWORD\n    value: hunter2\n":                    "sets value, which is a credential by its name",
		"env:\n  - name: DB_PASSWORD\n    value: $(DB)\n":                      "",
		"env:\n  - name: DB_PASSWORD\n  - name: REGION\n    value: north\n":    "",
		"data:\n  - secretKey: password\n    remoteRef:\n      key: db\n":      "",
		"data:\n  - remoteRef:\n      key: db\n    secretKey: password\n":      "",
		"{secretKey: password, remoteRef: {key: db}}":                          "",
		"secretKey: wJalrXUtnFEMI/K7MDENG\n":                                   "sets secretKey, which is a credential by its name",
		"existingSecret: db-credentials":                                       "",
		"auth: {existingSecret: grafana, userSecretKey: \"token\"}":            "",
		"data:\n  - secretKey: password # the key":                             "",
		"data:\n  - secretKey: DB_PASSWORD":                                    "",
		"clientSecret: 9f8e7d6c5b4a39281706f5e4d3c2b1a0":                       "sets clientSecret, which is a credential by its name",
		"client_secret: GOCSPX-aBcD1eFgH2":                                     "sets client_secret, which is a credential by its name",
		"secret: changeme":                                                     "",
		"token: grafana":                                                       "sets token, which is a credential by its name",
		"password: ENC[AES256_GCM,data:x,iv:x,tag:x,type:str]":                 "",
	} {
		if got := In(value); got != want {
			t.Errorf("%q: got %q, want %q", value, got, want)
		}
	}
}

func TestIsName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"DB_PASSWORD": true, "dbPassword": true, "client-secret": true, "region.west.API_KEY": true, "APIKEY": true, "TOKEN": true,
		"SECRET_NAME": false, "PASSWORD_POLICY": false, "TOKENS": false, "KEY": false, "REGION": false, "": false, "__": false,
	} {
		if got := IsName(name); got != want {
			t.Errorf("%q: got %v, want %v", name, got, want)
		}
	}
}

func TestIsReference(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{
		"Bearer ${TOKEN}": true, "{{ .a }}-{{ .b }}": true, "{{ .a": true, "{": true, "[a, b]": true, "../secret/db": true,
		"/x9Kq0sdkfh2+3kfj==": false, "ab$(cdefgh": false, "p{{w0rd": false, "${X}hunter2": false, "{hunter2": false, "[hunter2": false,
		"": true, " ": true, "true": true, "${TOKEN}": true, "$(TOKEN)": true, "{{ .x }}": true, "/run/secrets/db": true, "https://vault/x": true,
		"ref+vault://x": true, "ENC[AES256]": true, "<set me>": true, "*****": true, `"",`: true,
		"hunter2": false, "trueish": false, `"hunter2",`: false, "pa$$word": false,
	} {
		if got := isReference("password", value); got != want {
			t.Errorf("%q: got %v, want %v", value, got, want)
		}
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	const hidden = "(redacted f52f…)" // hunter2
	for text, want := range map[string]string{
		"region: north\npassword: hunter2 # note\n": "region: north\npassword: (redacted 72d4…)\n",
		"password: hunter2\r\nother: x\r\n":         "password: " + hidden + "\r\nother: x\r\n",
		"password: \"hunter2\" # note\n":            "password: \"" + hidden + "\" # note\n",
		"a:\n  - password: 'hunter2'\n    other: 'x'\n": "a:\n  - password: '" + hidden +
			"'\n    other: 'x'\n",
		"password: 'it''s'\n":                   "password: '(redacted c4b8…)'\n",
		"password: \"a\\\"b\"\n":                "password: \"(redacted e87f…)\"\n",
		"password: &x !!str hunter2\n":          "password: &x !!str " + hidden + "\n",
		"password: >-\n\n  hunter2\nother: x\n": "password: >-\n\n  " + hidden + "\nother: x\n",
		"- password: |\n    hunter2\n  other: x\n": "- password: |\n    " + hidden +
			"\n  other: x\n",
		"password:\n  hunter2\nother: x\n": "password:\n  " + hidden + "\nother: x\n",
		"password: \"hunter2\nand more\" # x\nother: x\n": "password: \"(redacted 3700…)\" # x\nother: " +
			"x\n",
		"password: hunter2\n  and more\nother: x\n": "password: (redacted 3a38…)\nother: x\n",
		"{\"user\": \"x\", \"password\": \"hunter2\", \"a\": 1}": "{\"user\": \"x\", \"password\": \"" + hidden +
			"\", \"a\": 1}",
		"a: {user: x, password: hunter2 }": "a: {user: x, password: " + hidden + " }",
		`a: "{\"user\":\"x\",\"password\":\"hunter2\"}"`: `a: "{\"user\":\"x\",\"password\":\"` + hidden +
			`\"}"`,
		"env:\n  - name: DB_PASSWORD\n    value: hunter2\n": "env:\n  - name: DB_PASSWORD\n    value: " +
			hidden + "\n",
		"env:\n  - value: hunter2\n    name: DB_PASSWORD\n": "env:\n  - value: " + hidden +
			"\n    name: DB_PASSWORD\n",
		"env: [{name: DB_PASSWORD, value: hunter2}, {name: A, value: b}]": "env: [{name: DB_PASSWORD, value: " + hidden +
			"}, {name: A, value: b}]",
		"url: mysql://root:hunter2@db/shop?x=y":                                                  "url: mysql://root:" + hidden + "@db/shop?x=y",
		"c: Server=db;Password=hunter2;Port=1":                                                   "c: Server=db;Password=" + hidden + ";Port=1",
		"key: |\n  -----BEGIN PRIVATE KEY-----\n  MIIE\n  -----END PRIVATE KEY-----\nother: x\n": "key: |\n  (redacted 02b2…)\nother: x\n",
		"key: -----BEGIN PRIVATE KEY-----\nMIIE\n":                                               "key: (redacted 10fb…)",
		"password: (redacted f52f…)\nurl: a://b:(redacted f52f…)@c;pwd=(redacted f52f…)": "password: (redacted f52f…)\nurl: " +
			"a://b:(redacted f52f…)@c;pwd=(redacted f52f…)",
	} {
		got := Redact(text)
		if got != want {
			t.Errorf("%q:\n got %q\nwant %q", text, got, want)
		}
		if again := Redact(got); again != got {
			t.Errorf("redacted again it is %q", again)
		}
		if found := In(text) != ""; found != (got != text) {
			t.Errorf("%q: found is %v, redacted to %q", text, found, got)
		}
	}
}

func TestShown(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, value, want string }{
		{"db.password", "hunter2", "(redacted f52f…)"},
		{"token[1]", "hunter2", "(redacted f52f…)"},
		{"token", "${TOKEN}", "${TOKEN}"},
		{"URL", "a://b:hunter2@c", "a://b:(redacted f52f…)@c"},
		{"REGION", "hunter2", "hunter2"},
	} {
		if got := Shown(test.name, test.value); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// notations set a value for a name, each in another notation.
var notations = []string{
	"%s: %s\n", "%s: '%s'\n", "\"%s\": \"%s\",\n", "- %s: %s\n", "  - - %s: \"%s\"\n", "%s = %s\n", "%s=%s\n", "%s: |\n      %s\n",
	"%s: >-\n\n     %s\n",
	"%s:\n     %s\n", "%s: !!str %s\n", "%s: &a %s\n", "a: {b: c, %s: %s}\n", "{\"%s\":\"%s\"}\n", `a: "{\"%s\": \"%s\"}"` + "\n",
	"- name: %s\n  value: %s\n",
	"- name: '%s'\n  other:\n    a: b\n  value: \"%s\"\n", "[{name: %s, value: %s}]\n",
}

// Redact hides each value of a credential's name, in any surrounding text.
func TestRedactHidesWhatIsFound(t *testing.T) {
	t.Parallel()
	names := []string{"password", "DB_PASSWORD", "dbPassword", "client-secret", "db.token", "API_KEY"}
	around := []string{"kind: ConfigMap\n", "a: |\n  b\n", "# note\n", "---\n", "x: [\n", "'\n", "\"\n", "\t\n", "- a\n- b: c\n", "value: x\n",
		"password: ${X}\n", "\r\n", "{{ if .x }}\n"}
	for seed := range race.Seeds(20_000) {
		r := rand.New(rand.NewPCG(seed, 7))
		value := fmt.Sprintf("hunter%d", 1_000_000+r.IntN(1_000_000))
		var b strings.Builder
		for range r.IntN(4) {
			b.WriteString(around[r.IntN(len(around))])
		}
		fmt.Fprintf(&b, notations[r.IntN(len(notations))], names[r.IntN(len(names))], value)
		for range r.IntN(4) {
			b.WriteString(around[r.IntN(len(around))])
		}
		text := b.String()
		if shown := Redact(text); strings.Contains(shown, value) || In(text) == "" {
			t.Fatalf("seed %d: found %q, and the value shows:\n%s\nof\n%s", seed, In(text), shown, text)
		}
	}
}

// BenchmarkRedactHostile redacts texts that take long. It reports the worst text, and how
// much longer a text of twice the length takes at most (2 is linear).
func BenchmarkRedactHostile(b *testing.B) {
	measured := func(line string, size int) time.Duration {
		text := strings.Repeat(line, size/len(line))
		start := time.Now()
		Redact(text)
		return time.Since(start)
	}
	var worst time.Duration
	growth := 0.0
	for b.Loop() {
		for _, line := range []string{
			"password: \"\n", "value: x\n", "- value: x\n", "{password: x, ", "password:\n", "password: |\n", "a://b:",
			"-----BEGIN PRIVATE KEY-----", "-----BEGIN A ", "eyJaaaaaaaa.", "pwd ",
			"{secretKey: x, ", "{token: x", "{token: 'x", "{token: \"x", `{token: \"x`,
			";pwd", "password password ", "name: password\n", " password: x", "secretKey: x\n", "\"",
		} {
			one, two := measured(line, 1<<17), measured(line, 1<<18)
			worst, growth = max(worst, two), max(growth, float64(two)/float64(one))
		}
	}
	b.ReportMetric(float64(worst.Milliseconds()), "worst-ms/256KiB")
	b.ReportMetric(growth, "growth")
}

// FuzzRedact compares the credentials that are found with those that are hidden.
func FuzzRedact(f *testing.F) {
	for _, notation := range notations {
		f.Add(fmt.Sprintf(notation, "password", "hunter2"))
	}
	f.Add("a://b:c@d;pwd=e\n-----BEGIN PRIVATE KEY-----")
	f.Fuzz(func(t *testing.T, text string) {
		shown := Redact(text)
		if found := In(text) != ""; found != (shown != text) {
			t.Errorf("found is %v, and shown is\n%s\nof\n%s", found, shown, text)
		}
	})
}
