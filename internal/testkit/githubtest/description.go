// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package githubtest

import (
	"bytes"
	"cmp"
	_ "embed" // GitHub's descriptions
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

//go:embed testdata/openapi.json
var openAPI []byte

// description is GitHub's OpenAPI description of what the server offers.
type description struct {
	document *openapi3.T
	router   routers.Router
}

var loadDescription = sync.OnceValues(func() (*description, error) {
	document, err := openapi3.NewLoader().LoadFromData(openAPI)
	if err != nil {
		return nil, err
	}
	router, err := gorillamux.NewRouter(document)
	return &description{document, router}, err
})

var checks = &openapi3filter.Options{
	AuthenticationFunc:  openapi3filter.NoopAuthenticationFunc,
	SkipSettingDefaults: true,
}

// checkRequest returns the mistake of a request, whose body can be read again after that.
func (d *description) checkRequest(r *http.Request, body []byte) (*openapi3filter.RequestValidationInput, error) {
	r.Body = io.NopCloser(bytes.NewReader(body))
	route, parameters, err := d.router.FindRoute(r)
	if err != nil {
		return nil, fmt.Errorf("GitHub's description, or the part of it in testdata, has no %s %s", r.Method, r.URL.Path)
	}
	input := &openapi3filter.RequestValidationInput{Request: r, PathParams: parameters, Route: route, Options: checks}
	err = openapi3filter.ValidateRequest(r.Context(), input)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return input, cmp.Or(err, unknownField(route.Operation, body))
}

// unknownField returns an error for a field that the description does not have. OpenAPI allows
// more fields, but a field that GitHub does not know is a mistake of ours.
func unknownField(operation *openapi3.Operation, body []byte) error {
	var fields map[string]any
	if operation.RequestBody == nil || json.Unmarshal(body, &fields) != nil {
		return nil
	}
	schema := operation.RequestBody.Value.Content.Get("application/json").Schema.Value
	for name := range fields {
		if schema.Properties[name] == nil && len(schema.Properties) > 0 {
			return fmt.Errorf("there is no field %s", name)
		}
	}
	return nil
}

// checkResponse returns the mistake of an answer. The description leaves out answers that
// any operation can give, as to a bad token.
func (d *description) checkResponse(input *openapi3filter.RequestValidationInput, answer *httptest.ResponseRecorder) error {
	described := input.Route.Operation.Responses.Status(answer.Code) != nil
	if !described {
		if answer.Code < http.StatusBadRequest {
			return fmt.Errorf("GitHub's description knows no status %d here", answer.Code)
		}
		return nil
	}
	return openapi3filter.ValidateResponse(input.Request.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: answer.Code, Header: answer.Header(),
		Body: io.NopCloser(bytes.NewReader(answer.Body.Bytes())), Options: checks,
	})
}

// object is a JSON object.
type object map[string]any

// complete fills in what the schema of that name requires and the object lacks:
// GitHub's objects have dozens of fields that nothing here reads.
func (d *description) complete(schema string, have object) any {
	// Through JSON, so that all objects and lists are of the same types.
	text, err := json.Marshal(have)
	if err != nil {
		panic(err) // what is made here can always be encoded
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		panic(err)
	}
	return fill(d.document.Components.Schemas[schema].Value, plain)
}

func fill(s *openapi3.Schema, have any) any {
	for _, all := range s.AllOf {
		have = fill(all.Value, have)
	}
	if variants := slices.Concat(s.OneOf, s.AnyOf); len(variants) > 0 && s.Properties == nil {
		if have == nil && s.Nullable {
			return nil
		}
		return fill(variants[0].Value, have)
	}
	switch value := have.(type) {
	case map[string]any:
		for _, name := range s.Required {
			if _, ok := value[name]; !ok {
				value[name] = missing(s.Properties[name])
			}
		}
		for name, part := range value {
			if property := s.Properties[name]; property != nil && part != nil {
				value[name] = fill(property.Value, part)
			}
		}
	case []any:
		for i := range value {
			value[i] = fill(s.Items.Value, value[i])
		}
	}
	return have
}

// missing returns the least value that a property may have.
func missing(property *openapi3.SchemaRef) any {
	if property == nil {
		return nil
	}
	s := property.Value
	switch {
	case s.Nullable:
		return nil
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Type.Is("object"), s.Properties != nil, len(s.AllOf) > 0:
		return fill(s, map[string]any{})
	case s.Type.Is("array"):
		return []any{}
	case s.Type.Is("boolean"):
		return false
	case s.Type.Is("integer"), s.Type.Is("number"):
		return 0.0
	case s.Type.Is("string"):
		return map[string]string{"uri": "https://github.example/", "date-time": "2026-01-01T00:00:00Z"}[s.Format]
	case len(s.OneOf) > 0:
		return missing(s.OneOf[0])
	case len(s.AnyOf) > 0:
		return missing(s.AnyOf[0])
	}
	return nil
}
