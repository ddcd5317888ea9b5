import { type Concepts, convertHeld, decodeDraft } from '@engine/authoring'
import { check, type Field, FUNCTIONS, parse, parseJson, type Type, TYPE, typeText } from '@engine/expression'
import { decodeRuleset } from '@engine/ruleset'
import { arrivedLate } from './patterns.ts'
import { type Executable, ran, ranCases } from './runs.ts'
import type { FunctionEntry, Refused, Subject, TaskName, Tasks } from './tasks.ts'

/** Merges, sub-rules, the clipboard and contracts: checks and simulations start without them. */
export const loadEdits = () => import('./graph-edits.ts')

type Performers = {
  readonly [Name in TaskName]: (takes: Tasks[Name]['takes']) => Tasks[Name]['gives'] | Promise<Tasks[Name]['gives']>
}

const performers: Performers = {
  functions: () => Array.from(FUNCTIONS.values(), functionEntry),
  check: ({ text, types }) => {
    const parsed = parse(text)
    if (parsed.kind === 'failed') return parsed.problems
    const known = new Map(Object.entries(types).map(([path, type]) => [path, typeNamed(type)]))
    return check(parsed.expression, { typeAt: (path) => known.get(dotted(path)) })
  },
  validate: (subject) => converted(subject).problems,
  run: ({ input, ...subject }) => {
    const found = executable(subject)
    return found.kind === 'problems' ? found : ran(found, subject, input)
  },
  cases: ({ cases, ...subject }) => {
    const found = executable(subject)
    return found.kind === 'problems' ? found : ranCases(found, subject, cases)
  },
  derive: async (subject) => {
    const found = executable(subject)
    return found.kind === 'problems' ? undefined : (await loadEdits()).derive(found.ruleset)
  },
  decode: (text) => {
    const parsed = parseJson(text, { duplicateKeys: 'refuse', numbers: 'exact' })
    if (parsed.kind === 'failed') return { problem: parsed.problem.message }
    const { draft, problems } = decodeDraft(parsed.value)
    return draft === undefined ? { problem: problems[0]?.message ?? '' } : { draft }
  },
  merge: async (takes) => (await loadEdits()).merge(takes),
  resolve: async (takes) => (await loadEdits()).resolve(takes),
  extract: async (takes) => (await loadEdits()).extract(takes),
  inline: async (takes) => (await loadEdits()).inline(takes),
  paste: async (takes) => (await loadEdits()).paste(takes),
  // File readers are loaded when a file is read.
  sheets: async (takes) => (await import('./read-sheets.ts')).readSheets(takes),
}

/** Perform a task of the worker. */
export async function perform<Name extends TaskName>(
  name: Name,
  takes: Tasks[Name]['takes'],
): Promise<Tasks[Name]['gives']> {
  const done = async () => performers[name](takes)
  const [first] = await Promise.allSettled([done()])
  if (await arrivedLate()) return done()
  if (first.status === 'rejected') throw first.reason
  return first.value
}

/** A path in the notation of facts and contracts; one with an index or a wildcard has none. */
const dotted = (path: Field['path']) =>
  path.every((segment) => segment.kind === 'name') ? path.map(({ name }) => name).join('.') : ''

function functionEntry({
  name,
  parameters,
  returns,
  summary,
  example,
}: typeof FUNCTIONS extends ReadonlyMap<string, infer F> ? F : never): FunctionEntry {
  const shown = parameters.map(
    (one) => `${one.name}${one.optional === true ? '?' : ''}${one.variadic === true ? '…' : ''}`,
  )
  return {
    name,
    signature: `${name}(${shown.join(', ')})`,
    returns: typeText(returns),
    summary,
    example: example.expression,
  }
}

const TYPES: Readonly<Record<string, Type>> = {
  number: TYPE.number,
  integer: TYPE.number,
  string: TYPE.string,
  boolean: TYPE.boolean,
  array: TYPE.array,
  object: TYPE.object,
}

/** The type of a field by its name; for types known only to contracts, any. */
const typeNamed = (name: string): Type => TYPES[name] ?? TYPE.any

const conceptsOf = ({ concepts }: Subject): Concepts => new Map(concepts.map(({ name, fields }) => [name, fields]))

function converted(subject: Subject) {
  const { draft, contract, subRules } = subject
  const held = contract && { contract, concepts: conceptsOf(subject) }
  return convertHeld(draft, { subRules: new Map(Object.entries(subRules)), contract: held })
}

function executable(subject: Subject): Refused | Executable {
  const places = converted(subject)
  const { ruleset, problems } = places
  const decoded = ruleset && decodeRuleset(ruleset).ruleset
  if (decoded === undefined || problems.some(({ severity }) => severity === 'error'))
    return { kind: 'problems', problems }
  return { kind: 'executable', ruleset: decoded, places }
}
