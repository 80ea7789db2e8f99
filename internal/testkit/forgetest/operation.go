// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forgetest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Operation is an operation of an interface, with the parameters and fields that the forge's
// description has.
type Operation struct {
	// Method and Path identify the operation. In a path, {name} matches one segment.
	Method, Path string
	// Query and Body are the parameters in the URL and the fields in the body, as "name type", or
	// "name type value value…" if only some values exist. A field in an object is "object.name", a
	// field of the objects in a list "list[].name". An exclamation mark after the type says that the
	// parameter is required.
	Query, Body []string
	// Do answers a call that was checked.
	Do func(c *Call)
}

// Call is a call of an operation.
type Call struct {
	*Server
	Who        string // the login
	Parameters map[string]string
	Query      url.Values
	Body       map[string]any
	Header     http.Header // of the answer

	w http.ResponseWriter
}

// Answer answers with a JSON text.
func (c *Call) Answer(status int, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		c.T.Error(err)
	}
	c.w.Header().Set("Content-Type", "application/json")
	c.w.WriteHeader(status)
	_, _ = c.w.Write(text) // a client that has gone away misses it
}

// Refuse answers with a refusal.
func (c *Call) Refuse(status int, message string) { c.dialect.Refuse(c.w, status, message) }

// Text returns a field of the body.
func (c *Call) Text(name string) string {
	text, _ := c.Body[name].(string)
	return text
}

// Texts returns a field of the objects in a list.
func (c *Call) Texts(list, field string) (all []string) {
	items, _ := c.Body[list].([]any)
	for _, item := range items {
		object, _ := item.(map[string]any)
		all = append(all, fmt.Sprint(object[field]))
	}
	return all
}

// Request returns the request that a parameter names; nil, and a refusal, if there is none.
func (c *Call) Request(parameter, missing string) *Request {
	number, _ := strconv.Atoi(c.Parameters[parameter])
	q := c.Find(number)
	if q == nil {
		c.Refuse(http.StatusNotFound, missing)
	}
	return q
}

// serve answers what is not git, and passes git on.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) (handled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.synchronize()
	who, known := s.tokens[s.dialect.Token(r)]
	path := r.URL.EscapedPath()
	switch {
	case strings.HasPrefix(path, s.dialect.Root) && s.operation(r.Method, path) != nil:
		if !known {
			s.dialect.Refuse(w, http.StatusUnauthorized, s.dialect.Unauthorized)
			return true
		}
		s.call(w, r, who)
		return true
	case strings.HasPrefix(r.URL.Path, s.path+"/"), strings.HasPrefix(r.URL.Path, s.path+".git/"):
		writes := strings.Contains(r.URL.String(), "git-receive-pack")
		switch {
		case !known:
			w.Header().Set("WWW-Authenticate", `Basic realm="forge"`)
			http.Error(w, "HTTP Basic: Access denied", http.StatusUnauthorized)
			return true
		case writes && (!who.write || s.archived):
			http.Error(w, "You are not allowed to push code to this project.", http.StatusForbidden)
			return true
		}
		r.URL.Path = s.git.URL()[len(s.Address()):] + "/" + r.URL.Path[strings.Index(r.URL.Path[len(s.path):], "/")+len(s.path)+1:]
		return false
	}
	s.T.Errorf("the forge's description, or its table here, has no %s %s", r.Method, path)
	s.dialect.Refuse(w, http.StatusBadRequest, "there is no such operation")
	return true
}

// operation returns the operation of a method and a path.
func (s *Server) operation(method, path string) *Operation {
	for i := range s.dialect.Operations {
		if o := &s.dialect.Operations[i]; o.Method == method && parameters(s.dialect.Root+o.Path, path) != nil {
			return o
		}
	}
	return nil
}

// parameters matches a path, and returns the values of its parameters; nil if it does not match.
// The case of names is ignored, as forges do.
func parameters(pattern, path string) map[string]string {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return nil
	}
	found := map[string]string{}
	for i, name := range want {
		value, err := url.PathUnescape(got[i])
		switch {
		case err != nil:
			return nil
		case strings.HasPrefix(name, "{"):
			found[strings.Trim(name, "{}")] = value
		case !strings.EqualFold(name, value):
			return nil
		}
	}
	return found
}

// call checks a call, and carries it out.
func (s *Server) call(w http.ResponseWriter, r *http.Request, who token) {
	o := s.operation(r.Method, r.URL.EscapedPath())
	c := &Call{Server: s, Who: who.login, Query: r.URL.Query(), w: w, Header: w.Header(),
		Parameters: parameters(s.dialect.Root+o.Path, r.URL.EscapedPath())}
	problems := c.read(o, r)
	if len(problems) > 0 {
		s.T.Errorf("%s %s: %s", r.Method, r.URL, strings.Join(problems, "; "))
		c.Refuse(http.StatusBadRequest, strings.Join(problems, "; "))
		return
	}
	if name, ok := c.Parameters["repository"]; ok && name != strings.Trim(s.path, "/") {
		if s.former != "" && name == strings.Trim(s.former, "/") {
			s.dialect.Moved(w, r, s.path)
			return
		}
		c.Refuse(http.StatusNotFound, "Project Not Found")
		return
	}
	switch {
	case r.Method != http.MethodGet && !who.write:
		c.Refuse(http.StatusForbidden, s.dialect.Forbidden)
	case r.Method != http.MethodGet && s.archived:
		c.Refuse(http.StatusForbidden, s.dialect.Archived)
	default:
		o.Do(c)
	}
}

// read reads the body, and returns what the description does not allow.
func (c *Call) read(o *Operation, r *http.Request) (problems []string) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return []string{err.Error()}
	}
	if len(body) > 0 {
		if err := json.Unmarshal(body, &c.Body); err != nil {
			return []string{"the body is not a JSON object"}
		}
	}
	query := map[string]any{}
	for name, values := range c.Query {
		query[name] = values[0]
	}
	problems = append(check("parameter", o.Query, "", query, true), check("field", o.Body, "", c.Body, false)...)
	for _, spec := range slices.Concat(o.Query, o.Body) {
		words := strings.Fields(spec)
		_, inBody := c.Body[words[0]]
		if strings.HasSuffix(words[1], "!") && !c.Query.Has(words[0]) && !inBody {
			problems = append(problems, words[0]+" is missing")
		}
	}
	return problems
}

// check compares the values of an object with the description.
func check(what string, specs []string, prefix string, object map[string]any, isText bool) (problems []string) {
	for name, value := range object {
		full := prefix + name
		i := slices.IndexFunc(specs, func(spec string) bool { return strings.Fields(spec)[0] == full })
		if i < 0 {
			problems = append(problems, fmt.Sprintf("there is no %s %s", what, full))
			continue
		}
		words := strings.Fields(specs[i])
		if !fits(value, strings.TrimSuffix(words[1], "!"), isText) || len(words) > 2 && !slices.Contains(words[2:], fmt.Sprint(value)) {
			problems = append(problems, fmt.Sprintf("the %s %s must not be %v", what, full, value))
			continue
		}
		switch v := value.(type) {
		case map[string]any:
			problems = append(problems, check(what, specs, full+".", v, false)...)
		case []any:
			for _, item := range v {
				if object, ok := item.(map[string]any); ok {
					problems = append(problems, check(what, specs, full+"[].", object, false)...)
				}
			}
		}
	}
	return problems
}

// fits reports whether a value has a type. In a URL, values are texts.
func fits(value any, kind string, isText bool) bool {
	text, ok := value.(string)
	switch {
	case kind == "string":
		return ok
	case kind == "integer" && isText:
		_, err := strconv.Atoi(text)
		return err == nil
	case kind == "boolean" && isText:
		return text == "true" || text == "false"
	}
	switch value.(type) {
	case bool:
		return kind == "boolean"
	case float64:
		return kind == "integer"
	case []any:
		return kind == "list"
	case map[string]any:
		return kind == "object"
	}
	return false
}
