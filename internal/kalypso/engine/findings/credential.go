// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
)

// credentials names what looks like a credential in ConfigMaps, templates and
// places of repositories: it would stand in the GitOps repository for all to read.
func credentials(f *fleet.Fleet) []Finding {
	var found []Finding
	note := func(subject, place, reason string) {
		found = append(found, newFinding(Credential, subject, fmt.Sprintf(
			"%s %s. %s", place, reason, storeAdvice)))
	}
	for _, c := range f.ConfigMaps {
		for _, key := range slices.Sorted(maps.Keys(c.Data)) {
			value := c.Data[key]
			if reason := secretValue(value); reason != "" {
				note(c.ID(), "The value of "+key, reason)
			} else if isSecretName(key) && !isReference(value) {
				note(c.ID(), "The value of "+key, "is a credential, by its name")
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Templates)) {
		for i, text := range f.Templates[name].Manifests {
			if reason := secretValue(text); reason != "" {
				note(f.Templates[name].ID(), fmt.Sprintf("Manifest %d", i+1), reason)
			}
		}
	}
	for _, t := range f.Targets {
		for _, key := range slices.Sorted(maps.Keys(t.Manifests)) {
			if reason := secretToken(t.Manifests[key]); reason != "" {
				note("DeploymentTarget/"+t.FullName, "The value of manifests."+key, reason)
			}
		}
	}
	return found
}

const storeAdvice = "Who reads the repository can read it: write a reference to a secret store instead."

// tokens are credentials that show by their form. A URL or connection string
// whose password is a variable or a placeholder is none.
var tokens = []struct {
	what string
	// hint is a part of every such credential, to find out fast that there is none.
	hint string
	form *regexp.Regexp
}{
	{"holds a private key", "PRIVATE KEY", regexp.MustCompile(`-----BEGIN ([A-Z0-9]+ )*PRIVATE KEY( BLOCK)?-----`)},
	{"holds a URL with a password", "@", regexp.MustCompile(`\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/:@"'{}$<>]*:[^\s/:@"'{}$<>*]+@`)},
	{"holds an access key of AWS", "AKIA", regexp.MustCompile(`\bAKIA[A-Z0-9]{16}\b`)},
	{"holds a token of GitHub", "_", regexp.MustCompile(`\b(gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})`)},
	{"holds a token of GitLab", "glpat-", regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{20,}`)},
	{"holds a token of Slack", "xox", regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`)},
	{"holds an API key of Google", "AIza", regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{35}\b`)},
	{"holds a secret key of Stripe", "k_live_", regexp.MustCompile(`\b[rs]k_live_[A-Za-z0-9]{16,}`)},
	{"holds a JSON Web Token", "eyJ", regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`)},
	{"holds a connection string with a key", "=", regexp.MustCompile(`(?i)\b(AccountKey|SharedAccessKey|SharedAccessSignature)=[A-Za-z0-9+/%=]{16,}`)},
	{"holds a connection string with a password", ";", regexp.MustCompile(`(?i);\s*(password|pwd)\s*=\s*[^\s;"'{}$<>*]+`)},
}

// setting matches a line that sets something, in YAML, JSON or a properties file.
var setting = regexp.MustCompile(`(?m)^[ \t]*(?:- )?["']?([A-Za-z][A-Za-z0-9_.-]*)["']?[ \t]*[:=][ \t]*(\S.*)$`)

// secretToken says what credential a text holds that shows by its form; empty
// where it seems to hold none.
func secretToken(text string) string {
	for _, t := range tokens {
		if strings.Contains(text, t.hint) && t.form.MatchString(text) {
			return t.what
		}
	}
	return ""
}

// secretValue is secretToken that also looks at the names that a text gives values to.
func secretValue(text string) string {
	if token := secretToken(text); token != "" {
		return token
	}
	for _, match := range setting.FindAllStringSubmatch(text, -1) {
		if isSecretName(match[1]) && !isReference(match[2]) {
			return fmt.Sprintf("sets %s, which is a credential by its name", match[1])
		}
	}
	return ""
}

// secretWords end the names of credentials, as one word or as two.
var secretWords = map[string]bool{
	"password": true, "passwd": true, "pwd": true, "passphrase": true, "secret": true, "token": true,
	"apikey": true, "privatekey": true, "accesskey": true, "secretkey": true, "accountkey": true,
	"sharedkey": true, "encryptionkey": true, "signingkey": true,
}

// isSecretName reports whether a name is one of a credential itself: DB_PASSWORD,
// not PASSWORD_FILE.
func isSecretName(name string) bool {
	words := wordsOf(name)
	n := len(words)
	return n > 0 && secretWords[words[n-1]] || n > 1 && secretWords[words[n-2]+words[n-1]]
}

// wordsOf takes a name apart: DB_PASSWORD, db-password, db.password, dbPassword.
func wordsOf(name string) []string {
	var spaced strings.Builder
	before := ' '
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			spaced.WriteByte(' ')
		}
		spaced.WriteRune(r)
		before = r
	}
	return strings.FieldsFunc(strings.ToLower(spaced.String()), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// reference matches values that stand for a secret kept elsewhere, or for none:
// templates and variables, files, URLs, references into secret stores, what is
// encrypted or blotted out, and the beginning of a structure.
var reference = regexp.MustCompile(`(?i)\{\{|\$[({]|^(true|false|yes|no|on|off|null|none|~|[|>][-+]?|[*]+|[\[{].*|<.*>|[/.].*|https?://.*|&.*|file:.*|vault:.*|ref\+.*|enc\[.*|@microsoft\.keyvault.*)$`)

func isReference(value string) bool {
	value = strings.Trim(strings.TrimSpace(strings.TrimRight(strings.TrimSpace(value), ",")), `"'`)
	return strings.TrimSpace(value) == "" || reference.MatchString(value)
}
