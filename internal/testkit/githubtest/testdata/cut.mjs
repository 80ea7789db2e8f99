// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Cuts GitHub's published descriptions down to what internal/testkit/githubtest serves:
// node cut.mjs FOLDER, where FOLDER holds the unpacked npm packages (see README.md).
import fs from 'node:fs'
import path from 'node:path'

const from = process.argv[2]
const here = import.meta.dirname
const read = (...parts) => JSON.parse(fs.readFileSync(path.join(from, ...parts), 'utf8'))

// REST: the operations, and the schemas that they refer to, without prose and examples.
const repo = '/repos/{owner}/{repo}'
const operations = {
  [`${repo}/pulls`]: ['get', 'post'],
  [`${repo}/pulls/{pull_number}`]: ['get', 'patch'],
  [`${repo}/pulls/{pull_number}/merge`]: ['put'],
  [`${repo}/pulls/{pull_number}/requested_reviewers`]: ['post'],
  [`${repo}/issues/{issue_number}/comments`]: ['get', 'post'],
  [`${repo}/issues/{issue_number}/labels`]: ['post'],
  [`${repo}/commits/{ref}/statuses`]: ['get'],
  [`${repo}/commits/{ref}/check-runs`]: ['get'],
  [`${repo}/statuses/{sha}`]: ['post'],
  [`${repo}/installation`]: ['get'],
  '/app/installations/{installation_id}/access_tokens': ['post'],
}
const all = read('openapi', 'generated', 'api.github.com.json')
const rest = { openapi: all.openapi, info: { title: all.info.title, version: all.info.version, license: all.info.license }, paths: {}, components: {} }

// plain drops what says nothing about validity; properties may have these names too.
const prose = new Set(['description', 'summary', 'example', 'examples', 'externalDocs', 'tags'])
function plain(node, isMap = false) {
  if (Array.isArray(node)) return node.map((n) => plain(n))
  if (node === null || typeof node !== 'object') return node
  const kept = Object.entries(node).filter(([key]) => isMap || !prose.has(key) && !key.startsWith('x-'))
  return Object.fromEntries(kept.map(([key, value]) => [key, plain(value, !isMap && (key === 'properties' || key === 'responses'))]))
}
const described = (responses) => { for (const r of Object.values(responses)) if (!r.$ref) r.description = '' }

const queue = []
for (const [name, methods] of Object.entries(operations)) {
  rest.paths[name] = {}
  for (const method of methods) {
    const operation = plain(all.paths[name][method])
    described(operation.responses)
    rest.paths[name][method] = operation
    queue.push(operation)
  }
}
// That a plain list of names is taken too is said in the description's prose alone.
const labels = rest.paths[`${repo}/issues/{issue_number}/labels`].post.requestBody.content['application/json'].schema
labels.oneOf.push({ type: 'array', minItems: 1, items: { type: 'string' } })

const seen = new Set()
function follow(node) {
  if (node === null || typeof node !== 'object') return
  if (typeof node.$ref === 'string' && !seen.has(node.$ref)) {
    seen.add(node.$ref)
    const [, , kind, name] = node.$ref.split('/')
    const target = plain(all.components[kind][name])
    if (kind === 'responses') target.description = ''
    ;(rest.components[kind] ??= {})[name] = target
    queue.push(target)
  }
  Object.values(node).forEach(follow)
}
while (queue.length) follow(queue.pop())
fs.writeFileSync(path.join(here, 'openapi.json'), JSON.stringify(rest, null, 1) + '\n')

// GraphQL: the types with the fields named here (none named: all), and what these refer to.
const wanted = {
  Query: ['viewer'],
  User: ['login'],
  Mutation: ['disablePullRequestAutoMerge', 'enablePullRequestAutoMerge'],
  DisablePullRequestAutoMergeInput: null,
  DisablePullRequestAutoMergePayload: ['clientMutationId', 'pullRequest'],
  EnablePullRequestAutoMergeInput: null,
  EnablePullRequestAutoMergePayload: ['clientMutationId', 'pullRequest'],
  PullRequest: ['id', 'number', 'autoMergeRequest'],
  AutoMergeRequest: ['enabledAt', 'mergeMethod'],
  PullRequestMergeMethod: null,
  DateTime: null, GitObjectID: null,
}
const types = read('graphql-schema', 'schema.json').__schema.types
const named = (t) => t.kind === 'NON_NULL' ? named(t.ofType) + '!' : t.kind === 'LIST' ? `[${named(t.ofType)}]` : t.name
let sdl = '# Cut from GitHub\'s GraphQL schema, see README.md.\n'
for (const [name, fields] of Object.entries(wanted)) {
  const type = types.find((t) => t.name === name)
  const keep = (list) => list.filter((f) => fields === null || fields.includes(f.name))
  const line = (f) => {
    const args = f.args?.length ? `(${f.args.map((a) => `${a.name}: ${named(a.type)}`).join(', ')})` : ''
    return `  ${f.name}${args}: ${named(f.type)}\n`
  }
  sdl += '\n' + {
    SCALAR: () => `scalar ${name}\n`,
    ENUM: () => `enum ${name} {\n${type.enumValues.map((v) => `  ${v.name}\n`).join('')}}\n`,
    INPUT_OBJECT: () => `input ${name} {\n${keep(type.inputFields).map(line).join('')}}\n`,
    INTERFACE: () => `interface ${name} {\n${keep(type.fields).map(line).join('')}}\n`,
    UNION: () => `union ${name} = ${type.possibleTypes.map((t) => t.name).filter((n) => n in wanted).join(' | ')}\n`,
    OBJECT: () => {
      const is = type.interfaces.map((t) => t.name).filter((n) => n in wanted && fields.includes('id'))
      return `type ${name} ${is.length ? `implements ${is.join(' & ')} ` : ''}{\n${keep(type.fields).map(line).join('')}}\n`
    },
  }[type.kind]()
}
fs.writeFileSync(path.join(here, 'schema.graphql'), sdl)
