// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"encoding/base64"
	"reflect"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

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
