import { decodeDraft } from '@engine/authoring'
import { check, type Field, parse, parseJson, type Type, TYPE } from '@engine/expression'
import { converted, executable } from './executable.ts'
import { evaluated, ran, ranCases } from './runs.ts'
import type { LanguageName, Tasks } from './tasks.ts'
import { performed, type Performers } from './worker-loop.ts'

/** Merges, sub-rules, the clipboard and contracts: loaded on demand, since checks and simulations do not need them. */
export const loadEdits = () => import('./graph-edits.ts')

const performers: Performers<LanguageName> = {
  // Loaded on demand: checks do not need the descriptions.
  functions: async () => (await import('./function-entries.ts')).functionEntries(),
  check: ({ text, types }) => {
    const parsed = parse(text)
    if (parsed.kind === 'failed') return parsed.problems
    const known = new Map(Object.entries(types).map(([path, type]) => [path, typeNamed(type)]))
    return check(parsed.expression, { typeAt: (path) => known.get(dotted(path)) })
  },
  validate: (subject) => converted(subject).problems,
  run: ({ input, stubs, ...subject }) => {
    const found = executable(subject)
    return found.kind === 'problems' ? found : ran(found, subject, input, stubs)
  },
  evaluate: (takes) => {
    const found = executable(takes)
    return found.kind === 'problems' ? undefined : evaluated(found, takes)
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
  renameField: async (takes) => (await loadEdits()).renamed(takes),
  // Loaded on demand.
  sheets: async (takes) => (await import('./read-sheets.ts')).readSheets(takes),
}

/** Perform a task of the worker. */
export const perform = <Name extends LanguageName>(
  name: Name,
  takes: Tasks[Name]['takes'],
): Promise<Tasks[Name]['gives']> => performed(async () => performers[name](takes))

/** A path in the dotted notation of facts and contracts; undefined for one with an index or wildcard. */
const dotted = (path: Field['path']) =>
  path.every((segment) => segment.kind === 'name') ? path.map(({ name }) => name).join('.') : ''

const TYPES: Readonly<Record<string, Type>> = {
  number: TYPE.number,
  integer: TYPE.number,
  string: TYPE.string,
  boolean: TYPE.boolean,
  array: TYPE.array,
  object: TYPE.object,
}

/** The type of a field by name; `any` for types known only to contracts. */
const typeNamed = (name: string): Type => TYPES[name] ?? TYPE.any
