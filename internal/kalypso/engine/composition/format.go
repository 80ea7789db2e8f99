// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"errors"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// formats are the formats of JSON Schema as Kalypso's validator takes them,
// which is wider than the standard for times and e-mail addresses: what passes
// there has to pass here. Those it does not know hold for every text.
var formats = []*jsonschema.Format{
	textFormat("date", isTime(time.DateOnly)),
	textFormat("time", isTime("15:04:05Z07:00", time.TimeOnly)),
	textFormat("date-time", isTime(time.TimeOnly, "15:04:05Z07:00", time.DateOnly, time.RFC3339, time.RFC3339Nano)),
	textFormat("email", isEmail),
	textFormat("idn-email", isEmail),
	textFormat("hostname", func(s string) bool { return len(s) < 256 && hostname.MatchString(s) }),
	textFormat("ipv4", func(s string) bool { return isAddress(s) && strings.Contains(s, ".") }),
	textFormat("ipv6", func(s string) bool { return isAddress(s) && strings.Contains(s, ":") }),
	textFormat("uri", isURI),
	textFormat("iri", isURI),
	textFormat("uri-reference", isURIReference),
	textFormat("iri-reference", isURIReference),
	textFormat("uri-template", isURITemplate),
	textFormat("uuid", uuid.MatchString),
	textFormat("json-pointer", jsonPointer.MatchString),
	textFormat("relative-json-pointer", relativeJSONPointer.MatchString),
	textFormat("duration", anything),
	textFormat("period", anything),
	textFormat("semver", anything),
}

var (
	hostname            = regexp.MustCompile(`^([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\-]{0,61}[a-zA-Z0-9])(\.([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\-]{0,61}[a-zA-Z0-9]))*$`)
	uuid                = regexp.MustCompile(`^[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}$`)
	jsonPointer         = regexp.MustCompile(`^(?:/(?:[^~/]|~0|~1)*)*$`)
	relativeJSONPointer = regexp.MustCompile(`^(?:0|[1-9][0-9]*)(?:#|(?:/(?:[^~/]|~0|~1)*)*)$`)
	balancedBraces      = regexp.MustCompile(`^([^{]*({[^}]*})?)*$`)
)

// textFormat makes a format of a rule for texts; other values are no concern of it.
func textFormat(name string, holds func(string) bool) *jsonschema.Format {
	return &jsonschema.Format{Name: name, Validate: func(v any) error {
		if text, isString := v.(string); isString && !holds(text) {
			return errors.New("wrong form")
		}
		return nil
	}}
}

func anything(string) bool { return true }

func isTime(layouts ...string) func(string) bool {
	return func(s string) bool {
		for _, layout := range layouts {
			if _, err := time.Parse(layout, s); err == nil {
				return true
			}
		}
		return false
	}
}

func isEmail(s string) bool {
	_, err := mail.ParseAddress(s)
	return err == nil
}

func isAddress(s string) bool {
	address, err := netip.ParseAddr(s)
	return err == nil && address.Zone() == ""
}

func isURI(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme != "" && !strings.Contains(s, `\`)
}

func isURIReference(s string) bool {
	_, err := url.Parse(s)
	return err == nil && !strings.Contains(s, `\`)
}

func isURITemplate(s string) bool {
	u, err := url.Parse(s)
	return err == nil && !strings.Contains(s, `\`) && balancedBraces.MatchString(u.Path)
}
