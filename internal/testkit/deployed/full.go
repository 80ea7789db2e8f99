// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployed

import (
	"fmt"
	"reflect"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
)

// Full returns a fleet of two environments in which each field is set, every text to one of
// its own: what a test misses of it is lost.
func Full() inventory.Fleet {
	var f inventory.Fleet
	for range 2 {
		f.Environments = append(f.Environments, inventory.Environment{})
	}
	n := 0
	fill(reflect.ValueOf(&f).Elem(), "", &n)
	f.Comparisons[0].Left, f.Comparisons[0].Right = f.Environments[0].Name, f.Environments[1].Name
	return f
}

// fill sets a value and all in it; n counts.
func fill(v reflect.Value, field string, n *int) {
	*n++
	if state, ok := v.Addr().Interface().(*inventory.HealthState); ok {
		*state = inventory.Unhealthy
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("%03d-%s", *n, field))
	case reflect.Int:
		v.SetInt(int64(*n))
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), field+"-"+v.Type().Field(i).Name, n)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), field, n)
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), field, n)
		}
	case reflect.Slice:
		if v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		for i := range v.Len() {
			fill(v.Index(i), field, n)
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, field+"-key", n)
		fill(value, field, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	default:
		panic("deployed: no value for a " + v.Type().String())
	}
}

// Texts returns all texts of a fleet, by their fields.
func Texts(f inventory.Fleet) map[string][]string {
	all := map[string][]string{}
	gather(reflect.ValueOf(f), "", all)
	return all
}

func gather(v reflect.Value, field string, all map[string][]string) {
	switch v.Kind() {
	case reflect.String:
		all[field] = append(all[field], v.String())
	case reflect.Struct:
		for i := range v.NumField() {
			gather(v.Field(i), field+"."+v.Type().Field(i).Name, all)
		}
	case reflect.Pointer:
		gather(v.Elem(), field, all)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			gather(v.Index(i), field, all)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			gather(key, field, all)
			gather(v.MapIndex(key), field, all)
		}
	default: // no text
	}
}
