import type { Finding } from './finding.ts'

/** Findings of schemathesis that stand, and why. */
export interface KnownFinding {
  readonly type: string
  readonly operations: readonly string[]
  /** Whether a finding is of this kind, by request and response: others of the same type and operation are new. */
  readonly is: (finding: Finding) => boolean
  readonly reason: string
}

const TAKES_RULESET = ['POST /api/v1/rulesets', 'POST /api/v1/rulesets/validate', 'POST /api/v1/debug/execute-inline']
const CONDITIONAL = ['POST /api/v1/rulesets', 'DELETE /api/v1/rulesets/{name}', 'POST /api/v1/rulesets/{name}/rollback']
const TAKES_FILTER = ['POST /api/v1/rulesets/{name}/filter', 'POST /api/v1/rulesets/{name}/sql']
const EVALUATES = ['POST /api/v1/eval', 'POST /api/v1/debug/eval']
const EXECUTES = [
  'POST /api/v1/execute/{name}',
  'POST /api/v1/execute/{name}/batch',
  'POST /api/v1/debug/execute/{name}',
]
const ANALYSES = ['analyze', 'impact', 'why-not'].map((name) => `POST /api/v1/rulesets/{name}/${name}`)
const TAKES_TENANT = ['POST /api/v1/tenants', 'PUT /api/v1/tenants/{id}']

export const KNOWN_FINDINGS: readonly KnownFinding[] = [
  ...['RejectedPositiveData', 'AcceptedNegativeData'].map((type) => ({
    type,
    operations: CONDITIONAL,
    is: ({ status, headers }: Finding) =>
      status === 412 && (headers['if-match'] !== undefined || headers['if-none-match'] !== undefined),
    reason:
      'a made-up entity tag in `if-match` is not that of the stored ruleset, and one is stored: 412, before its fields are looked at',
  })),
  {
    type: 'AllowHeaderMismatch',
    operations: ['POST /api/v1/rulesets/validate'],
    is: ({ message }) => /Undocumented methods advertised: DELETE, GET$/m.test(message),
    reason: 'a ruleset may be called `validate`: its path answers GET and DELETE as any other name does',
  },
  {
    type: 'RejectedPositiveData',
    operations: [...TAKES_RULESET, ...EVALUATES, ...TAKES_FILTER, ...TAKES_TENANT, ...EXECUTES, ...ANALYSES],
    is: ({ status, answer }) => status === 400 && (hasPlaces(answer) || UNREADABLE.test(errorOf(answer))),
    reason:
      'a schema cannot say which texts are expressions, field paths, names, lines of JSON or compiled rulesets, nor that the steps of a ruleset lead somewhere: these are a 400 with their place',
  },
  {
    type: 'RejectedPositiveData',
    operations: ['POST /api/v1/execute/{name}/batch'],
    is: ({ status, answer }) =>
      status === 400 && /^the query parameter `(?:key|receipt|trace|trace_values)` /.test(errorOf(answer)),
    reason: 'a schema cannot say that a parameter belongs to one content type, nor which texts are field paths',
  },
  {
    type: 'RejectedPositiveData',
    operations: EXECUTES,
    is: ({ status, answer }) =>
      status === 400 && (answer as { readonly code?: unknown } | null)?.code === 'RECEIPTS_OFF',
    reason: 'a receipt is requested from an engine that keeps none',
  },
  {
    type: 'RejectedPositiveData',
    operations: ['POST /api/v1/rulesets/{name}/sql'],
    is: ({ status, answer }) =>
      status === 422 && hasPlaces(answer) && (answer as { readonly code?: unknown } | null)?.code === 'UNTRANSLATABLE',
    reason: 'the ruleset itself has no form in SQL: a 422 with the places in its steps',
  },
  {
    type: 'RejectedPositiveData',
    operations: ['POST /api/v1/rulesets/{name}/impact'],
    is: ({ status, answer }) => status === 422 && hasPlaces(answer),
    reason: 'the other version is a whole ruleset, which the schema does not repeat: a 422 with its faults',
  },
  {
    type: 'AcceptedNegativeData',
    operations: ANALYSES,
    is: ({ status }) => status === 413,
    reason: 'a list that is longer than the schema allows makes a body larger than its limit, which is answered first',
  },
  {
    type: 'AcceptedNegativeData',
    operations: ['POST /api/v1/rulesets/validate'],
    is: ({ status, answer }) => status === 200 && (answer as { readonly valid?: unknown } | null)?.valid === false,
    reason: 'what is wrong with a ruleset is the answer of this operation, with status 200',
  },
  {
    type: 'AcceptedNegativeData',
    operations: TAKES_RULESET,
    is: ({ message }) => /^Invalid component: (?:in body - )?_signature\b/m.test(message),
    reason: '`_signature` is looked at only where signatures are verified',
  },
  {
    type: 'AcceptedNegativeData',
    operations: TAKES_RULESET,
    is: ({ message, answer }) => hasWarnings(answer) && OF_OTHER_KIND.test(message),
    reason: 'fields of another kind of step or action are kept and have no meaning: a warning',
  },
  {
    type: 'AcceptedNegativeData',
    operations: [...TAKES_RULESET, ...EVALUATES, ...EXECUTES, ...TAKES_FILTER, ...TAKES_TENANT, ...ANALYSES],
    is: ({ status, message, sent }) => status < 300 && isNull(sent, message),
    reason: 'null for an optional member counts as left out, although the schema names its type only',
  },
  {
    type: 'ServerError',
    operations: [...EXECUTES, 'POST /api/v1/debug/execute-inline', ...TAKES_FILTER],
    is: ({ status, answer }) => status === 500 && errorOf(answer) !== '' && !DEFECT.test(errorOf(answer)),
    reason:
      'the specification says 500 where the rules fail, or have no form for a database; a defect of the server also has a line in its log, which the check looks for',
  },
]

/** The response to a defect of the server, which hides the cause. */
const DEFECT = /^internal error/

/** Bodies that are not JSON, although their header declares another type. */
const UNREADABLE = /^the body (?:cannot be read as |is not CSV of inputs: )/

/** Parts of a ruleset that have separate members for each kind. */
const OF_OTHER_KIND =
  /^Invalid component: (?:in body - )?(?:steps|sub_rules) -> Object with invalid additional property/m

function errorOf(answer: unknown): string {
  const { error } = (answer ?? {}) as { readonly error?: unknown }
  return typeof error === 'string' ? error : ''
}

function hasPlaces(answer: unknown): boolean {
  const { details = [] } = (answer ?? {}) as { readonly details?: readonly { readonly path?: unknown }[] }
  return details.length > 0 && details.every(({ path }) => typeof path === 'string')
}

function hasWarnings(answer: unknown): boolean {
  const { warnings = [] } = (answer ?? {}) as { readonly warnings?: readonly unknown[] }
  return warnings.length > 0
}

/**
 * Whether the member that a message names is null in what was sent: as in `in body - a -> b: Incorrect type`, or in
 * `in body`, a line further ``violates `type` at /properties/a (was boolean, became null)``.
 */
function isNull(sent: unknown, message: string): boolean {
  if (/^Invalid component: in body\s+- violates `type` at \S+ \(was \w+, became null\)$/m.test(message)) return true
  const [, names] = /^Invalid component: in body - (.*): Incorrect type$/m.exec(message) ?? []
  return names !== undefined && reachesNull(sent, names.split(' -> '))
}

/** Steps of a message that name no member: any of them may be meant. */
const ANY = /^(?:Object with invalid additional property|Array with invalid items)$/

function reachesNull(value: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return value === null
  if (typeof value !== 'object' || value === null) return false
  const members = ANY.test(name) ? Object.values(value) : [(value as Readonly<Record<string, unknown>>)[name]]
  return members.some((member) => reachesNull(member, rest))
}
