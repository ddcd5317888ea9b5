import {
  defined,
  isObject,
  makeFunction,
  type ObjectValue,
  escapedKey,
  parseJson,
  quote,
  type Value,
} from '@engine/expression'
import {
  ANY_OPERATION,
  type CapabilityRequest,
  createProgram,
  type Decision,
  decodeRuleset,
  ExecutionError,
  type Host,
  type Program,
  type Ruleset,
  type RulesetDocument,
} from '@engine/ruleset'
import { canonicalText, commitmentOf, type SaltedText } from './commitment.ts'
import type { DecisionEntry, UsedRuleset } from './entry.ts'
import { commitmentAt, namesOf, replaced } from './fields.ts'
import type { Evidence } from './receipt.ts'

/** The result of comparing a decision with its re-execution by the same rules. */
export type ReExecution =
  | { readonly kind: 'equal' }
  /** JSON pointers into `{code, message, output}`, `/error` or `/calls/<n>`. */
  | { readonly kind: 'different'; readonly paths: readonly string[] }
  | { readonly kind: 'not-reproducible'; readonly reason: string }

/** The dependencies of an execution besides the receipt. */
export interface ReExecutionParts {
  /** Version of this engine. */
  readonly engine: string
  /** The document whose content has a digest; undefined if it is unknown. The caller has verified the digest. */
  content(digest: string): RulesetDocument | undefined
}

/** External calls as recorded in evidence, in the order of execution. */
interface RecordedCall {
  readonly step: string
  readonly service: string
  readonly method: string
  readonly parameters: Value
  readonly answer?: ObjectValue
  readonly error?: string
}

/**
 * Codes of failures that do not depend on the rules: time limits, a client that disconnected, a defect of the engine.
 */
const EXTERNAL_FAILURES: ReadonlyMap<string, string> = new Map([
  ['timeout', 'by a time limit'],
  ['request-timeout', 'by a time limit'],
  ['external-timeout', 'by a time limit'],
  ['abandoned', 'because its caller went away'],
  ['defect', 'by a defect of the engine'],
])

class NotReproducible extends Error {}

/** Executes a verified entry again: with its clock, the recorded answers, and the rules by digest. */
export async function reexecute(
  entry: DecisionEntry,
  evidence: Evidence,
  parts: ReExecutionParts,
): Promise<ReExecution> {
  try {
    const different = await differences(entry, evidence, parts)
    return different.length === 0 ? { kind: 'equal' } : { kind: 'different', paths: different }
  } catch (error) {
    if (error instanceof NotReproducible) return { kind: 'not-reproducible', reason: error.message }
    throw error
  }
}

async function differences(
  entry: DecisionEntry,
  evidence: Evidence,
  { engine, content }: ReExecutionParts,
): Promise<readonly string[]> {
  if (majorOf(entry.engine) !== majorOf(engine))
    throw new NotReproducible(`engine ${entry.engine} decided, this is engine ${engine}`)
  const outside = EXTERNAL_FAILURES.get(entry.error ?? '')
  if (outside !== undefined) throw new NotReproducible(`the decision ended ${outside}`)
  const calls = callsOf(entry, evidence)
  const rulesets = new Map<string, Ruleset>()
  for (const used of [entry.ruleset, ...entry.uses]) rulesets.set(used.name, rulesetOf(used, content))
  const deciding = defined(rulesets.get(entry.ruleset.name))
  const input = inputOf(evidence, deciding.config.receiptFields)
  const replay = createReplay(calls)
  const program = defined(programsOf(rulesets, replay.host).get(entry.ruleset.name))
  const again = await outcomeOf(program, input, entry.now)
  const missed = replay.used() < calls.length ? [`/calls/${replay.used()}`] : []
  const wrong = [...replay.wrong, ...missed]
  if (wrong.length > 0) return wrong
  if ('error' in again) return again.error === entry.error ? [] : ['/error']
  if (entry.result === undefined) return ['/error']
  return resultDifferences(entry.result, evidence, again)
}

const majorOf = (version: string) => version.split('.', 1)[0]

function rulesetOf(used: UsedRuleset, content: ReExecutionParts['content']): Ruleset {
  const document = content(used.digest)
  if (document === undefined)
    throw new NotReproducible(`the content ${used.digest} of ${quote(used.name)} was not given`)
  const { ruleset } = decodeRuleset(document, { isStored: true })
  if (ruleset === undefined) throw new NotReproducible(`the content ${used.digest} is no ruleset of this engine`)
  return ruleset
}

function read(text: string, what: string): Value {
  const parsed = parseJson(text, { duplicateKeys: 'refuse', numbers: 'exact' })
  if (parsed.kind === 'failed') throw new NotReproducible(`${what} is not valid JSON`)
  return parsed.value
}

/** The input with its separated fields restored. */
function inputOf({ input, fields = {} }: Evidence, paths: readonly string[]): ObjectValue {
  if (input === undefined) throw new NotReproducible('the receipt has no evidence of the input')
  const separated = read(input[1], 'the input')
  if (!isObject(separated)) throw new NotReproducible('the input is not an object')
  let whole = separated
  for (const path of paths) {
    if (commitmentAt(whole, path) === undefined) continue
    const shown = Object.hasOwn(fields, path) ? fields[path] : undefined
    if (shown === undefined) throw new NotReproducible(`the field ${quote(path)} is withheld`)
    whole = replaced(whole, namesOf(path), read(shown[1], `the field ${quote(path)}`))
  }
  return whole
}

function callsOf({ trust }: DecisionEntry, { calls }: Evidence): readonly RecordedCall[] {
  if (trust.calls === '') return []
  if (calls === undefined) throw new NotReproducible('the receipt has no evidence of the external calls')
  const list = read(calls[1], 'the evidence of the external calls')
  if (!Array.isArray(list) || !list.every(isCall))
    throw new NotReproducible('the evidence of the external calls is not a list of calls')
  return list
}

const isCall = (one: Value): one is Value & RecordedCall =>
  isObject(one) && (isObject(one['answer'] ?? null) || typeof one['error'] === 'string')

/** A host that only has recorded answers, with no log and no metrics. */
function createReplay(calls: readonly RecordedCall[]) {
  let next = 0
  const wrong: string[] = []
  async function answer({ capability, operation, payload, step, isAwaited }: CapabilityRequest) {
    // Only awaited calls are recorded: other calls do not affect the result.
    if (!isAwaited) return { payload: null, metadata: {} }
    const index = next++
    const recorded = calls[index]
    const isSame =
      recorded !== undefined &&
      recorded.step === step &&
      recorded.service === capability &&
      recorded.method === operation &&
      canonicalText(recorded.parameters) === canonicalText(payload)
    if (!isSame) {
      wrong.push(`/calls/${index}`)
      throw new Error('another call than the recorded one')
    }
    if (recorded.error !== undefined) throw new Error(recorded.error)
    const { payload: answered = null, metadata = null } = recorded.answer ?? {}
    return { payload: answered, metadata: isObject(metadata) ? metadata : {} }
  }
  const never = { aborted: false, addEventListener() {}, removeEventListener() {} }
  const host = {
    capabilities: {
      get: (name: string) => ({ name, operations: [ANY_OPERATION], call: answer }),
    },
    log() {},
    metric() {},
    callFailed() {},
    monotonic: () => performance.now(),
    now: () => 0,
    makeFunction,
    limit: () => ({ signal: never, dispose() {} }),
    pause: undefined,
  } satisfies Omit<Host, 'rulesets'>
  return { host, wrong, used: () => next }
}

function programsOf(
  rulesets: ReadonlyMap<string, Ruleset>,
  host: Omit<Host, 'rulesets'>,
): ReadonlyMap<string, Program> {
  const programs = new Map<string, Program>()
  const whole: Host = { ...host, rulesets: { resolve: (name) => programs.get(name), generation: 0 } }
  for (const [name, ruleset] of rulesets) programs.set(name, createProgram(ruleset, whole))
  return programs
}

async function outcomeOf(
  program: Program,
  input: ObjectValue,
  now: number,
): Promise<Decision | { readonly error: string }> {
  try {
    return await program.decide(input, { now })
  } catch (error) {
    if (error instanceof ExecutionError) return { error: error.code }
    if (error instanceof RangeError) return { error: 'nested-too-deeply' }
    throw error
  }
}

function resultDifferences(
  result: NonNullable<DecisionEntry['result']>,
  { message, output }: Evidence,
  again: Decision,
): readonly string[] {
  if (message === undefined || output === undefined)
    throw new NotReproducible('the receipt has no evidence of the result')
  const code = again.code === result.code ? [] : ['/code']
  const isCommitted = ([salt]: SaltedText, value: Value, commitment: string) =>
    commitmentOf([salt, canonicalText(value)]) === commitment
  const text = isCommitted(message, again.message, result.message) ? [] : ['/message']
  if (isCommitted(output, again.output, result.output)) return [...code, ...text]
  return [...code, ...text, ...unequal(read(output[1], 'the output'), again.output, '/output')]
}

/** Maximum number of listed differences; there may be as many as values. */
const MAX_DIFFERENCES = 100

/** JSON pointers of the first values that differ. Linear. */
function unequal(left: Value | undefined, right: Value | undefined, path: string): readonly string[] {
  if (left === undefined || right === undefined) return [path]
  if (canonicalText(left) === canonicalText(right)) return []
  const [leftKeys, rightKeys] = [keysOf(left), keysOf(right)]
  if (leftKeys === undefined || rightKeys === undefined) return [path]
  const keys = new Set([...leftKeys, ...rightKeys])
  const found: string[] = []
  for (const key of keys) {
    if (found.length >= MAX_DIFFERENCES) break
    found.push(...unequal(memberOf(left, key), memberOf(right, key), `${path}/${escapedKey(key)}`))
  }
  return found.slice(0, MAX_DIFFERENCES)
}

const keysOf = (value: Value): readonly string[] | undefined =>
  isObject(value) || Array.isArray(value) ? Object.keys(value) : undefined

const memberOf = (value: Value, key: string): Value | undefined =>
  Object.hasOwn(value as object, key) ? (value as ObjectValue)[key] : undefined
