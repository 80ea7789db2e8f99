// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"maps"
	"path"
	"reflect"
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

// Why a function of Sprig does not exist here, after "it".
const (
	readsClock       = "reads the clock or the time zone"
	drawsRandom      = "draws random numbers"
	readsEnvironment = "reads the environment of the process"
	usesNetwork      = "asks the network"
)

// removedFunctions are the functions of Sprig that give something else from run to run.
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
// are among the known functions, guarded or, as slice, replaced by Sprig's.
var builtinFunctions = map[string]bool{
	"and": true, "or": true, "not": true, "len": true, "index": true, "call": true,
	"eq": true, "ne": true, "lt": true, "le": true, "gt": true, "ge": true,
}

// comparisons are the builtin functions whose work grows with texts among
// their arguments, and the position of the first such argument.
var comparisons = map[string]int{"eq": 1, "ne": 1, "lt": 1, "le": 1, "gt": 1, "ge": 1, "index": 2}

// mutatingFunctions change their first argument.
var mutatingFunctions = map[string]bool{
	"set": true, "unset": true,
	"merge": true, "mustMerge": true, "mergeOverwrite": true, "mustMergeOverwrite": true,
}

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

// knownFunctions are all functions that a template can call besides the builtin ones.
var knownFunctions = newFunctions(new(meter))

// scalarFunctions are the functions that give a text, a number or a boolean.
var scalarFunctions = func() map[string]bool {
	scalar := map[string]bool{"not": true, "len": true, "eq": true, "ne": true, "lt": true, "le": true, "gt": true, "ge": true}
	for name, function := range knownFunctions {
		switch reflect.TypeOf(function).Out(0).Kind() {
		case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
			scalar[name] = true
		default:
		}
	}
	return scalar
}()

// newFunctions gives all functions, bound to a meter.
func newFunctions(m *meter) template.FuncMap {
	functions := sprig.TxtFuncMap()
	for name := range removedFunctions {
		delete(functions, name)
	}
	// The separator of files must not depend on where Terraform runs.
	functions["osBase"], functions["osDir"], functions["osClean"] = path.Base, path.Dir, path.Clean
	functions["osExt"], functions["osIsAbs"] = path.Ext, path.IsAbs
	maps.Copy(functions, ownFunctions)

	m.bound(functions)
	checks := m.checks()
	for name, function := range functions {
		functions[name] = m.guard(function, shallowFunctions[name], checks[name])
	}
	functions["toYaml"], functions["hash"] = m.toYAML, m.hash
	return functions
}
