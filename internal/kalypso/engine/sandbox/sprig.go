// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"errors"
	"maps"
	"path"
	"reflect"
	"slices"
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

// sprigFunctions returns Sprig's functions without the removed ones. It replaces functions
// whose result depends on the order of a map or on the machine, and functions that changed after
// Sprig 2. Each function depends on its arguments alone, so every run renders the same. It does not
// change its arguments, because executions share data. The exceptions are mutatingFunctions, and
// sortAlpha, which sorts a []string in place. Only functions make such a list: lists of the data are
// []any.
func sprigFunctions() template.FuncMap {
	functions := sprig.TxtFuncMap()
	maps.Copy(functions, sprig2Functions)
	for name := range removedFunctions {
		delete(functions, name)
	}
	maps.Copy(functions, template.FuncMap{
		"keys":   sortedKeys,
		"values": sortedValues,
		"set":    set,
		"osBase": path.Base, "osDir": path.Dir, "osClean": path.Clean, "osExt": path.Ext, "osIsAbs": path.IsAbs,
	})
	for name, must := range map[string]string{"merge": "mustMerge", "mergeOverwrite": "mustMergeOverwrite"} {
		//nolint:errcheck,forcetypeassert // a new Sprig that changes the type fails every test.
		merge := functions[must].(func(map[string]any, ...map[string]any) (any, error))
		functions[name] = func(into map[string]any, from ...map[string]any) (any, error) {
			if holds(from, into) {
				return nil, errInItself
			}
			return merge(into, from...)
		}
		functions[must] = functions[name]
	}
	return functions
}

// set is Sprig's set, except that a map never contains itself: no function could write it.
func set(into map[string]any, key string, value any) (map[string]any, error) {
	if holds(value, into) {
		return nil, errInItself
	}
	into[key] = value
	return into, nil
}

var errInItself = errors.New("a map cannot contain itself. Use deepCopy")

// holds reports whether a value is a map, or has the map in it.
func holds(value any, m map[string]any) bool {
	switch v := value.(type) {
	case map[string]any:
		if reflect.ValueOf(v).Pointer() == reflect.ValueOf(m).Pointer() {
			return true
		}
		for _, within := range v {
			if holds(within, m) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(within any) bool { return holds(within, m) })
	case []map[string]any:
		return slices.ContainsFunc(v, func(within map[string]any) bool { return holds(within, m) })
	}
	return false
}

// sortedKeys is Sprig's keys with a stable order.
func sortedKeys(dicts ...map[string]any) []string {
	keys := []string{}
	for _, dict := range dicts {
		keys = slices.AppendSeq(keys, slices.Values(slices.Sorted(maps.Keys(dict))))
	}
	return keys
}

// sortedValues is Sprig's values in the order of the keys.
func sortedValues(dict map[string]any) []any {
	values := make([]any, 0, len(dict))
	for _, key := range slices.Sorted(maps.Keys(dict)) {
		values = append(values, dict[key])
	}
	return values
}

// Why a function of Sprig does not exist here. Each reason continues "it".
const (
	readsClock       = "reads the clock or the time zone"
	drawsRandom      = "draws random numbers"
	readsEnvironment = "reads environment variables"
	usesNetwork      = "uses the network"
)

// removedFunctions are the functions of Sprig whose results differ from run to run, with the
// reason.
var removedFunctions = map[string]string{
	"ago": readsClock, "date": readsClock, "date_in_zone": readsClock, "date_modify": readsClock,
	"dateInZone": readsClock, "dateModify": readsClock, "durationRound": readsClock,
	"htmlDate": readsClock, "htmlDateInZone": readsClock, "must_date_modify": readsClock,
	"mustDateModify": readsClock, "mustToDate": readsClock, "now": readsClock, "toDate": readsClock,
	"unixEpoch": readsClock,

	"randAlpha": drawsRandom, "randAlphaNum": drawsRandom, "randAscii": drawsRandom, "randBytes": drawsRandom,
	"randInt": drawsRandom, "randNumeric": drawsRandom, "shuffle": drawsRandom, "uuidv4": drawsRandom,
	"bcrypt": drawsRandom, "htpasswd": drawsRandom, "encryptAES": drawsRandom,
	"genCA": drawsRandom, "genCAWithKey": drawsRandom, "genPrivateKey": drawsRandom,
	"genSelfSignedCert": drawsRandom, "genSelfSignedCertWithKey": drawsRandom,
	"genSignedCert": drawsRandom, "genSignedCertWithKey": drawsRandom,

	"env": readsEnvironment, "expandenv": readsEnvironment,
	"getHostByName": usesNetwork,
}

// mutatingFunctions change their first argument.
var mutatingFunctions = []string{"set", "unset", "merge", "mustMerge", "mergeOverwrite", "mustMergeOverwrite"}
