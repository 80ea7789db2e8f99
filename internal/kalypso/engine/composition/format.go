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

// formats are the formats of JSON Schema in Kalypso's validator, which accepts more times
// and e-mail addresses than the standard: a text that is valid there must be valid here.
// Formats that it does not know accept every text.
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
	textFormat(formatRegex, isRegex),
	textFormat("json-pointer", jsonPointer.MatchString),
	textFormat("relative-json-pointer", relativeJSONPointer.MatchString),
	unknownFormat("duration"),
	unknownFormat("period"),
	unknownFormat("semver"),
}

// formatRegex replaces the format regex, which the library reads differently. Messages show
// this name.
const formatRegex = "regex (RE2)"

var (
	hostname = regexp.MustCompile(`^([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\-]{0,61}[a-zA-Z0-9])` +
		`(\.([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\-]{0,61}[a-zA-Z0-9]))*$`)
	uuid                = regexp.MustCompile(`^[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}$`)
	jsonPointer         = regexp.MustCompile(`^(?:/(?:[^~/]|~0|~1)*)*$`)
	relativeJSONPointer = regexp.MustCompile(`^(?:0|[1-9][0-9]*)(?:#|(?:/(?:[^~/]|~0|~1)*)*)$`)
	balancedBraces      = regexp.MustCompile(`^([^{]*({[^}]*})?)*$`)
)

// textFormat makes a format from a rule for texts. Numbers never have this format, because a
// text that reads as a number is a number. The format ignores all other values.
func textFormat(name string, holds func(string) bool) *jsonschema.Format {
	return &jsonschema.Format{Name: name, Validate: func(v any) error {
		switch v := v.(type) {
		case string:
			if holds(v) {
				return nil
			}
		case int, int64, uint64, float64:
		default:
			return nil
		}
		return errors.New("wrong form")
	}}
}

// unknownFormat makes a format that Kalypso's validator does not know.
func unknownFormat(name string) *jsonschema.Format {
	return &jsonschema.Format{Name: name, Validate: func(any) error { return nil }}
}

func isRegex(s string) bool {
	_, err := regexp.Compile(s)
	return err == nil
}

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
