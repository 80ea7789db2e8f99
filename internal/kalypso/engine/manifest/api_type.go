// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// Objects of other projects are read into those projects' own types: a field is known if
// the type has it, and its value has to be of the type of the field.

// readField fills a value of an API type from a field. Missing parts of the value do not
// change.
func readField(f *fields, name string, into any) {
	if e := f.find(name); e != nil {
		f.doc.read(e.value, field(f.path, name), reflect.ValueOf(into).Elem())
	}
}

// read fills a value of an API type from the node.
func (d *document) read(n *yaml.Node, path string, into reflect.Value) {
	switch v := into.Addr().Interface().(type) {
	case *metav1.LabelSelector:
		*v = selector(d.fields(n, path))
		return
	case *metav1.LabelSelectorRequirement:
		*v = requirement(d, item{n, path})
		return
	case *clusterv1beta1.ClusterCelSelector:
		d.refuse(n, path, "its expressions would bring a Kubernetes API server into the provider; use labelSelector or claimSelector instead")
		return
	case *clusterv1beta1.SpreadPolicy:
		d.refuse(n, path, "no hub implements it; write a Placement with numberOfClusters for each region instead")
		return
	case *metav1.Time:
		d.readTime(n, path, v)
		return
	case *resource.Quantity:
		if hugeQuantity.MatchString(n.Value) {
			d.report(n, "Invalid value", "%s is %s, which is not a valid amount. Correct it.", path, quote(n.Value))
			return
		}
		d.readJSON(n, path, into)
		return
	case json.Unmarshaler:
		d.readJSON(n, path, into)
		return
	}
	switch into.Kind() {
	case reflect.Struct:
		f := d.fields(n, path)
		setDefaults(into.Addr().Interface())
		f.read(into)
		f.done()
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		d.read(n, path, into.Elem())
	case reflect.Slice:
		d.readSlice(n, path, into)
	case reflect.Map:
		d.readMap(n, path, into)
	case reflect.String:
		into.SetString(d.text(n, path))
	case reflect.Bool:
		d.readBool(n, path, into)
	default:
		d.readInt(n, path, into)
	}
}

// read reads the fields into a struct. The tag needs of a field says what to set it to, if it
// must not be empty.
func (f *fields) read(into reflect.Value) {
	for i := range into.NumField() {
		of := into.Type().Field(i)
		name, _ := jsonName(of)
		switch name {
		case "-":
			continue
		case "": // an embedded struct
			f.read(into.Field(i))
			continue
		}
		if e := f.find(name); e != nil {
			f.doc.read(e.value, field(f.path, name), into.Field(i))
		}
		if meaning := of.Tag.Get("needs"); meaning != "" && (!f.has(name) || of.Type.Kind() == reflect.String && into.Field(i).IsZero()) {
			f.missing(name, meaning)
		}
	}
	if !f.silent {
		f.check(into.Addr().Interface())
	}
}

// ofSpec decodes an object whose type has the fields of its spec.
func ofSpec[T any, O interface {
	*T
	Object
}](_ *document, m Meta, root *fields) Object {
	o := O(new(T))
	reflect.ValueOf(o).Elem().FieldByName("Meta").Set(reflect.ValueOf(m))
	s := spec(m, root)
	s.read(reflect.ValueOf(o).Elem())
	s.done()
	return o
}

// jsonName returns the name of a struct's field in a document, and whether an empty one
// is left out.
func jsonName(f reflect.StructField) (name string, omitEmpty bool) {
	name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name, strings.Contains(rest, "omitempty")
}

func (d *document) readSlice(n *yaml.Node, path string, into reflect.Value) {
	if into.Type().Elem().Kind() == reflect.Uint8 {
		text := d.text(n, path)
		decoded, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
		if err != nil && isText(n) {
			d.report(n, "Invalid value", "%s is not valid base64. Encode it.", path)
		}
		into.SetBytes(decoded)
		return
	}
	if n.Kind != yaml.SequenceNode {
		d.report(n, "Wrong type", "%s is %s, but a list is needed.", path, describe(n))
		return
	}
	if len(n.Content) == 0 {
		return
	}
	into.Set(reflect.MakeSlice(into.Type(), len(n.Content), len(n.Content)))
	for i, content := range n.Content {
		d.read(yamlnode.Resolve(content), fmt.Sprintf("%s[%d]", path, i), into.Index(i))
	}
}

func (d *document) readMap(n *yaml.Node, path string, into reflect.Value) {
	entries := d.fields(n, path).entries
	if len(entries) == 0 {
		return
	}
	into.Set(reflect.MakeMap(into.Type()))
	for _, e := range entries {
		value := reflect.New(into.Type().Elem()).Elem()
		d.read(e.value, field(path, e.key), value)
		into.SetMapIndex(reflect.ValueOf(e.key).Convert(into.Type().Key()), value)
	}
}

func (d *document) readBool(n *yaml.Node, path string, into reflect.Value) {
	word := n.Value
	if isBooleanWord(n) {
		word = booleans[n.Value]
	}
	value, err := strconv.ParseBool(strings.ToLower(word))
	if err != nil || n.Tag != boolTag && !isBooleanWord(n) {
		d.report(n, "Wrong type", "%s is %s, but true or false is needed.", path, describe(n))
	}
	into.SetBool(value)
}

func (d *document) readInt(n *yaml.Node, path string, into reflect.Value) {
	var value int64
	switch {
	case n.Kind != yaml.ScalarNode || n.Tag != intTag:
		d.report(n, "Wrong type", "%s is %s, but a whole number is needed.", path, describe(n))
	case n.Decode(&value) != nil || into.OverflowInt(value):
		d.report(n, "Invalid value", "%s is %s, which is too large a number.", path, shorten(n.Value))
	default:
		into.SetInt(value)
	}
}

// readTime reads a time to the second, because Kubernetes keeps no more of it, in no zone.
func (d *document) readTime(n *yaml.Node, path string, into *metav1.Time) {
	parsed, err := time.Parse(time.RFC3339, d.text(n, path))
	switch parsed = parsed.UTC().Truncate(time.Second); {
	case !isText(n):
	case err != nil || parsed.Year() < 1:
		d.report(n, "Invalid value", "%s is %s, but a time is needed, as 2006-01-02T15:04:05Z.", path, quote(n.Value))
	case parsed.IsZero():
	default:
		into.Time = parsed
	}
}

// hugeQuantity matches quantities with so many digits, or so large an exponent, that
// reading them would take more than a moment.
var hugeQuantity = regexp.MustCompile(`^.{64}|[eE][+-]?[0-9]{3}`)

// readJSON reads a scalar into a type that reads itself, as a quantity does.
func (d *document) readJSON(n *yaml.Node, path string, into reflect.Value) {
	if n.Kind != yaml.ScalarNode || isBooleanWord(n) || n.Tag != intTag && n.Tag != floatTag && !isText(n) {
		d.report(n, "Wrong type", "%s is %s, but a string or a number is needed.", path, describe(n))
		return
	}
	written := []byte(n.Value)
	if isText(n) || !json.Valid(written) {
		written, _ = json.Marshal(n.Value) // a string can be written
	}
	value := reflect.New(into.Type())
	if err := json.Unmarshal(written, value.Interface()); err != nil {
		d.report(n, "Invalid value", "%s is %s, which cannot be read: %s.", path, quote(n.Value), err)
		return
	}
	into.Set(value.Elem())
}

// written returns a struct with JSON tags, such as an API type, in its written form: without
// empty and default fields. An empty value is nil.
func written(of any) any {
	if v := reflect.ValueOf(of); !v.IsZero() {
		return encodeAPI(v)
	}
	return nil
}

// encodeAPI returns a value of an API type for the encoder of YAML.
func encodeAPI(v reflect.Value) any {
	switch of := v.Interface().(type) {
	case metav1.Time:
		return text(of.UTC().Format("2006-01-02T15:04:05Z"))
	case resource.Quantity:
		return text(of.String())
	case intstr.IntOrString:
		if of.Type == intstr.Int {
			return of.IntVal
		}
		return text(of.StrVal)
	}
	switch v.Kind() {
	case reflect.Struct:
		return encodeStruct(v)
	case reflect.Pointer:
		return encodeAPI(v.Elem())
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return text(base64.StdEncoding.EncodeToString(v.Bytes()))
		}
		list := make([]any, v.Len())
		for i := range list {
			list[i] = encodeAPI(v.Index(i))
		}
		return list
	case reflect.Map:
		mapping := map[text]any{}
		for _, key := range v.MapKeys() {
			mapping[text(key.String())] = encodeAPI(v.MapIndex(key))
		}
		return mapping
	case reflect.String:
		return text(v.String())
	default:
		return v.Interface()
	}
}

// encodeStruct returns a struct as a mapping in the order of its fields.
func encodeStruct(v reflect.Value) *yaml.Node {
	usual := reflect.New(v.Type())
	setDefaults(usual.Interface())
	mapping := &yaml.Node{Kind: yaml.MappingNode}
	for i := range v.NumField() {
		name, omitEmpty := jsonName(v.Type().Field(i))
		value := v.Field(i)
		switch name {
		case "-":
			continue
		case "": // an embedded struct
			mapping.Content = append(mapping.Content, encodeStruct(value).Content...)
			continue
		}
		isScalar := value.Kind() != reflect.Struct && value.Kind() != reflect.Slice && value.Kind() != reflect.Map &&
			value.Kind() != reflect.Pointer
		isEmpty := value.IsZero() || (value.Kind() == reflect.Slice || value.Kind() == reflect.Map) && value.Len() == 0
		isUsual := reflect.DeepEqual(value.Interface(), usual.Elem().Field(i).Interface())
		isDefault := isUsual && !value.IsZero() // a schema sets it where it is left out
		if isDefault || isUsual && (omitEmpty || !isScalar) || !isScalar && isEmpty {
			continue
		}
		var node yaml.Node
		// Strings, numbers, lists and mappings of them: nothing here can fail.
		_ = node.Encode(encodeAPI(value))
		mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name}, &node)
	}
	return mapping
}
