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

// sprigFunctions returns Sprig's functions without the removed ones. It replaces those
// whose result would depend on the order of a map or on where they run, or is not Sprig
// 2's. The functions of text/template are among them, so that they are guarded too. Each
// depends on its arguments alone, and does not change them. The exceptions are
// mutatingFunctions and sortingFunction: what such a function writes is kept, and the
// function is called again when a declaration is repeated.
func sprigFunctions() template.FuncMap {
	functions := sprig.TxtFuncMap()
	maps.Copy(functions, sprig2Functions())
	for name := range removedFunctions {
		delete(functions, name)
	}
	maps.Copy(functions, template.FuncMap{
		"keys":   sortedKeys,
		"values": sortedValues,
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

// sortedKeys is Sprig's keys in an order that does not change.
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

// Why a function of Sprig does not exist here, after "it".
const (
	readsClock       = "reads the clock or the time zone"
	drawsRandom      = "draws random numbers"
	readsEnvironment = "reads the environment of the process"
	usesNetwork      = "asks the network"
)

// removedFunctions are the functions of Sprig that return something else from run to run.
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

// builtinFunctions are those of text/template that stay as they are. The others
// are functions of every language, guarded or, as slice, replaced by Sprig's.
var builtinFunctions = map[string]bool{
	"and": true, "or": true, "not": true, "len": true, "index": true, "call": true,
	"eq": true, "ne": true, "lt": true, "le": true, "gt": true, "ge": true,
}

// comparisons are the builtin functions whose work grows with texts among
// their arguments, and the position of the first such argument.
var comparisons = map[string]int{"eq": 1, "ne": 1, "lt": 1, "le": 1, "gt": 1, "ge": 1, "index": 2}

// mutatingFunctions change their first argument. All other functions, except
// sortingFunction, must not change their arguments.
var mutatingFunctions = map[string]bool{
	"set": true, "unset": true,
	"merge": true, "mustMerge": true, "mergeOverwrite": true, "mustMergeOverwrite": true,
}

// sortingFunction sorts a list in its place where that holds texts alone: one that a
// function has made, since those of the data hold anything.
const sortingFunction = "sortAlpha"

// shallowFunctions look at the outermost of their arguments only, or pass them
// on. Every other function is taken to go through its arguments to any depth.
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
