// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

// sprigFunctions returns Sprig's functions without the removed ones, and the functions of
// text/template, so that they are guarded too. It replaces functions whose result depends on
// the order of a map or on the machine, functions that changed after Sprig 2, and uniq. Each
// function depends on its arguments alone, so every run renders the same. It does not change
// its arguments, because executions share data. The exceptions are mutatingFunctions and
// sortingFunction.
func sprigFunctions() template.FuncMap {
	functions := sprig.TxtFuncMap()
	maps.Copy(functions, sprig2Functions())
	for name := range removedFunctions {
		delete(functions, name)
	}
	maps.Copy(functions, template.FuncMap{
		"keys":   sortedKeys,
		"values": sortedValues,
		"uniq":   uniq, "mustUniq": uniq,
		"osBase": path.Base, "osDir": path.Dir, "osClean": path.Clean, "osExt": path.Ext, "osIsAbs": path.IsAbs,

		"print":    fmt.Sprint,
		"println":  fmt.Sprintln,
		"printf":   fmt.Sprintf,
		"html":     template.HTMLEscaper,
		"js":       template.JSEscaper,
		"urlquery": template.URLQueryEscaper,
	})
	return functions
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

// builtinFunctions are the functions of text/template that stay unchanged. Its other
// functions are guarded like Sprig's, or Sprig replaces them (slice).
var builtinFunctions = map[string]bool{
	"and": true, "or": true, "not": true, "len": true, "index": true, "call": true,
	"eq": true, "ne": true, "lt": true, "le": true, "gt": true, "ge": true,
}

// comparisons are the builtin functions whose work grows with texts among their arguments,
// with the position of the first such argument.
var comparisons = map[string]int{"eq": 1, "ne": 1, "lt": 1, "le": 1, "gt": 1, "ge": 1, "index": 2}

// mutatingFunctions change their first argument. All other functions, except
// sortingFunction, must not change their arguments.
var mutatingFunctions = map[string]bool{
	"set": true, "unset": true,
	"merge": true, "mustMerge": true, "mergeOverwrite": true, "mustMergeOverwrite": true,
}

// sortingFunction sorts a []string in place. Only functions make such a list: lists of the
// data are []any.
const sortingFunction = "sortAlpha"

// shallowFunctions read only the outermost level of their arguments, or pass the arguments
// on. The guard assumes that every other function reads all levels.
var shallowFunctions = map[string]bool{
	"all": true, "any": true, "append": true, "chunk": true, "coalesce": true, "compact": true, "concat": true,
	"default": true, "dict": true, "dig": true, "empty": true, "first": true, "get": true, "hasKey": true,
	"initial": true, "keys": true, "kindIs": true, "kindOf": true, "last": true, "list": true,
	"mustAppend": true, "mustChunk": true, "mustCompact": true, "mustFirst": true, "mustInitial": true,
	"mustLast": true, "mustPrepend": true, "mustPush": true, "mustRest": true, "mustReverse": true,
	"mustSlice": true, "omit": true, "pick": true, "pluck": true, "prepend": true, "push": true, "rest": true,
	"reverse": true, "set": true, "slice": true, "ternary": true, "tuple": true, "typeIs": true,
	"typeIsLike": true, "typeOf": true, "unset": true, "values": true,
}

// passingFunctions are the shallow functions that return an argument or a part of one, so
// they make nothing.
var passingFunctions = map[string]bool{
	"coalesce": true, "default": true, "dig": true, "first": true, "get": true, "last": true, "mustFirst": true, "mustLast": true,
	"mustSlice": true, "set": true, "slice": true, "ternary": true, "unset": true,
}
