import {
  type Case,
  type CaseHost,
  checkInput,
  checkTerminals,
  type Concepts,
  convertDraft,
  type ConvertedDraft,
  decodeDraft,
  declaredFields,
  deriveContract,
  merge3,
  runCase,
  stubbedHost,
  tracedSteps,
} from '@engine/authoring'
import {
  check,
  type Field,
  FUNCTIONS,
  parse,
  parseJson,
  type Type,
  TYPE,
  typeText,
  type Value,
} from '@engine/expression'
import { decodeRuleset, inspect, type Ruleset } from '@engine/ruleset'
import { withTheirs } from './resolve.ts'
import type { FunctionEntry, LocalCase, LocalRun, Refused, Subject, TaskName, Tasks } from './tasks.ts'

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
  run: ({ subject, input }) => ran(subject, input),
  cases: ({ subject, cases }) => ranCases(subject, cases),
  derive: (subject) => {
    const found = executable(subject)
    return found.kind === 'problems' ? undefined : deriveContract(found.ruleset, [])
  },
  decode: (text) => {
    const parsed = parseJson(text, { duplicateKeys: 'refuse' })
    if (parsed.kind === 'failed') return { problem: parsed.problem.message }
    const { draft, problems } = decodeDraft(parsed.value)
    return draft === undefined ? { problem: problems[0]?.message ?? '' } : { draft }
  },
  merge: ({ base, mine, theirs }) => merge3(base, mine, theirs),
  resolve: ({ draft, conflicts, theirs }) => withTheirs(draft, conflicts, theirs),
  // Readers of files are loaded where a file is read.
  sheets: async (takes) => (await import('./read-sheets.ts')).readSheets(takes),
}

/** Do a task of the worker. */
export async function perform<Name extends TaskName>(
  name: Name,
  takes: Tasks[Name]['takes'],
): Promise<Tasks[Name]['gives']> {
  return performers[name](takes)
}

/** A path as facts and contracts name fields; one with an index or a wildcard names none. */
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

/** What an expression may do with a field; of types that only contracts know, everything. */
const typeNamed = (name: string): Type => TYPES[name] ?? TYPE.any

const conceptsOf = ({ concepts }: Subject): Concepts => new Map(concepts.map(({ name, fields }) => [name, fields]))

function converted(subject: Subject) {
  const { draft, contract, subRules } = subject
  const fields = contract && declaredFields(contract, conceptsOf(subject))
  const result = convertDraft(draft, { subRules: new Map(Object.entries(subRules)), fields })
  const undeclared = contract === undefined ? [] : checkTerminals(draft, contract)
  return { ...result, problems: [...result.problems, ...undeclared] }
}

interface Executable {
  readonly kind: 'executable'
  readonly ruleset: Ruleset
  readonly places: ConvertedDraft['editorStep']
}

function executable(subject: Subject): Refused | Executable {
  const { ruleset, problems, editorStep: places } = converted(subject)
  const decoded = ruleset && decodeRuleset(ruleset).ruleset
  if (decoded === undefined || problems.some(({ severity }) => severity === 'error'))
    return { kind: 'problems', problems }
  return { kind: 'executable', ruleset: decoded, places }
}

/** No code is made of texts: the policy of the worker forbids it, and the interpreter is fast enough for one person. */
const HOST: CaseHost = { now: Date.now, monotonic: () => performance.now(), makeFunction: undefined }

async function ran(subject: Subject, input: Value): Promise<Tasks['run']['gives']> {
  const found = executable(subject)
  if (found.kind === 'problems') return found
  const { ruleset, places } = found
  const inspection = await inspect(ruleset, stubbedHost({}, HOST), input)
  const { result, error } = inspection
  const run: LocalRun = {
    code: result?.code ?? null,
    message: result?.message ?? null,
    output: result?.output ?? null,
    steps: tracedSteps(inspection, subject.draft, places),
    ...(error !== undefined && { error: { message: error.message, step: places(error.step)?.step_id ?? error.step } }),
  }
  return { kind: 'ran', run }
}

async function ranCases(subject: Subject, cases: readonly Case[]): Promise<Tasks['cases']['gives']> {
  const found = executable(subject)
  if (found.kind === 'problems') return found
  const { ruleset, places } = found
  const { contract } = subject
  const options = {
    stepOf: (id: string) => places(id)?.step_id ?? id,
    ...(contract !== undefined && { contract: (input: Value) => checkInput(contract, input, conceptsOf(subject)) }),
  }
  const shown: LocalCase[] = []
  for (const one of cases) {
    const { name, failures } = await runCase(ruleset, one, HOST, options)
    shown.push({ name, failures: failures.map(({ message }) => message) })
  }
  return { kind: 'ran', cases: shown }
}
