import { nearest } from '@engine/expression'
import { at, isFields, pointer } from '@engine/ruleset'
import { decodeGraph } from '../draft/decode.ts'
import type { DraftGraph } from '../draft/model.ts'
import { messages } from '../problem.ts'
import { anything, type Decode, flag, listOf, mapOf, type Members, number, object, record, text } from '../shape.ts'
import type {
  ArchivedCase,
  ArchivedEnvironment,
  ArchivedExpectation,
  ArchivedProject,
  ArchivedSubRule,
} from './archive.ts'

/** A record without other members: a misspelt one would be lost silently. */
function closed<Result extends object>(
  required: readonly (keyof Result & string)[],
  members: Members<Result>,
): Decode<Result> {
  const decode = record(required, members)
  const known = Object.keys(members)
  return (report, place, value) => {
    const strangers = isFields(value) ? Object.keys(value).filter((key) => !known.includes(key)) : []
    for (const key of strangers) report.error(at(place, key), messages.unknownMember(key, nearest(key, known)))
    const decoded = decode(report, place, value)
    return strangers.length > 0 ? undefined : decoded
  }
}

/** A file may name its JSON Schema in `$schema`, which is for editors. */
function file<Content>(decode: Decode<Content>): Decode<Content> {
  return (report, place, value) => {
    if (!isFields(value) || typeof value['$schema'] !== 'string') return decode(report, place, value)
    const { $schema: _schema, ...content } = value
    return decode(report, place, content)
  }
}

const environment = closed<ArchivedEnvironment>(['name'], {
  name: text,
  order: number,
  requires_release: flag,
  hold_before: flag,
  allow_local_rulesets: flag,
  canary: object,
  recording: object,
})

/** `project.json`. */
export const projectShape = file(
  closed<ArchivedProject & { readonly format: number }>(['format', 'name', 'current_environment', 'environments'], {
    format: number,
    name: text,
    description: text,
    current_environment: text,
    contract_mode: text,
    environments: listOf(environment),
  }),
)

const graph: Decode<DraftGraph> = (report, place, value) => {
  const found = decodeGraph(value)
  const above = pointer(place)
  for (const problem of found.problems) report.add({ ...problem, path: `${above}${problem.path}` })
  return found.graph
}

/** A file of `sub-rules`. */
export const subRuleShape = file(
  closed<ArchivedSubRule>(['name', 'version', 'bindings', 'outputs', 'graph'], {
    name: text,
    version: text,
    bindings: listOf(
      closed<ArchivedSubRule['bindings'][number]>(['name', 'type'], { name: text, type: text, required: flag }),
    ),
    outputs: listOf(closed<ArchivedSubRule['outputs'][number]>(['name', 'type'], { name: text, type: text })),
    graph,
  }),
)

const expectation = closed<ArchivedExpectation>([], {
  code: text,
  message: text,
  output: object,
  exact: flag,
  path: listOf(text),
  tolerance: number,
  error: text,
})

const oneCase = closed<ArchivedCase>(['name', 'input', 'expect'], {
  name: text,
  input: object,
  now: text,
  stubs: mapOf(anything),
  expect: expectation,
})

/** A file of `tests`. */
export const suiteShape = file(
  closed<{ readonly ruleset: string; readonly cases: readonly ArchivedCase[] }>(['ruleset', 'cases'], {
    ruleset: text,
    cases: listOf(oneCase),
  }),
)
