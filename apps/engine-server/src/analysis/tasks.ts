import {
  analyze,
  type AnalyzeOptions,
  assumedDomain,
  type DecisionRecord,
  impact,
  isFault,
  LastVersions,
  readDecisionRecord,
  type Replayed,
  ReplayedVersions,
  Replayer,
  whyNot,
} from '@engine/analysis'
import { type AnalyzeRequest, type ErrorDetail, type ImpactRequest, type WhyNotRequest } from '@engine/api'
import { jsonValue, parseJson, stringifyJson, type Value } from '@engine/expression'
import { calledRulesets, decodeRuleset, type Ruleset } from '@engine/ruleset'
import { EngineError, type EngineErrorCode } from '../errors.ts'

/** A ruleset that another one calls. */
export interface Callee {
  readonly name: string
  readonly digest: string
  readonly text: string
}

/** A task of a thread. Rulesets and bodies are JSON text, which keeps exact numbers. */
export type AnalysisTask =
  /** The names of the rulesets that a version calls, as a list. */
  | { readonly kind: 'calls'; readonly ruleset: string }
  /** Those of the new version in the body of an `impact`. */
  | { readonly kind: 'calls-of-sent'; readonly body: string }
  | ({ readonly callees: readonly Callee[] } & (
      | { readonly kind: 'analyze'; readonly ruleset: string; readonly digest: string; readonly body: string }
      /** Its errors and warnings. */
      | { readonly kind: 'findings'; readonly ruleset: string }
      /** `after` undefined: the new version is in the body. */
      | { readonly kind: 'impact'; readonly before: string; readonly after: string | undefined; readonly body: string }
      | { readonly kind: 'why-not'; readonly ruleset: string; readonly body: string }
      | {
          readonly kind: 'replay'
          readonly before: string
          readonly after: string
          readonly lines: readonly RecordLine[]
        }
    ))

/** A line with a record, or the reason why it cannot be read. */
export interface RecordLine {
  readonly number: number
  readonly text: string
  readonly fault: string | undefined
}

/** The result of a task, JSON text, of a replay with what `addReplayed` adds up; or the reason why it has none. */
export type AnalysisAnswer =
  | { readonly kind: 'done'; readonly text: string; readonly sums?: string }
  | {
      readonly kind: 'refused'
      readonly code: EngineErrorCode
      readonly message: string
      readonly details: readonly ErrorDetail[] | undefined
    }

/** Work of a request that names no budget: some three seconds. */
const DEFAULT_BUDGET = 20_000_000
/** Work for the findings of a ruleset that is being stored. */
const WRITE_BUDGET = 10_000_000
/** Faults of a document that an answer names. */
const MAX_DETAILS = 100

/** Runs a task; what its sender can correct is an answer. */
export function answerOf(task: AnalysisTask): AnalysisAnswer {
  try {
    if (task.kind === 'replay') return replayed(task)
    lastVersions.clear()
    return { kind: 'done', text: stringifyJson(resultOf(task) as Value) }
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    return { kind: 'refused', code: error.code, message: error.message, details: error.details }
  }
}

function resultOf(task: Exclude<AnalysisTask, { kind: 'replay' }>): unknown {
  if (task.kind === 'calls') return calledRulesets(storedRuleset(task.ruleset))
  if (task.kind === 'calls-of-sent') return calledRulesets(sentRuleset(task.body))
  const callees = calleesOf(task.callees)
  if (task.kind === 'findings')
    return analyze(storedRuleset(task.ruleset), { budget: WRITE_BUDGET, callees }).findings.filter(isFault)
  if (task.kind === 'impact') return impactOf(task, callees)
  const ruleset = storedRuleset(task.ruleset)
  const { numbers } = ruleset.config
  if (task.kind === 'why-not') {
    const { input, code, changeable } = bodyOf(task.body, numbers) as WhyNotRequest
    const options = { code, callees, ...(changeable != null && { changeable }) }
    return whyNot(ruleset, input as DecisionRecord['input'], options)
  }
  const body = bodyOf(task.body, numbers) as AnalyzeRequest
  const { ruleset: name, ...report } = analyze(ruleset, {
    ...searchOf(body),
    callees,
    ...(body.domain === 'contract' && { domain: assumedDomain(ruleset) }),
  })
  const called = task.callees.map((one) => ({ name: one.name, digest: one.digest }))
  return { ruleset: name, digest: task.digest, callees: called, ...report }
}

const calleesOf = (callees: readonly Callee[]): AnalyzeOptions['callees'] & {} =>
  new Map(callees.map(({ name, text }) => [name, storedRuleset(text)]))

function impactOf(
  { before, after, body }: Extract<AnalysisTask, { kind: 'impact' }>,
  callees: ReturnType<typeof calleesOf>,
): unknown {
  const old = storedRuleset(before)
  const young = after === undefined ? sentRuleset(body) : storedRuleset(after)
  const numbers = [old, young].some(({ config }) => config.numbers === 'decimal') ? 'decimal' : 'double'
  const request = bodyOf(body, numbers) as ImpactRequest
  const forbid = (request.forbid ?? []).map(transitionOf)
  return impact(old, young, { ...searchOf(request), forbid, callees })
}

function transitionOf(text: string, index: number): { readonly from: string; readonly to: string } {
  const [from = '', to = '', ...rest] = text.split('->').map((part) => part.trim())
  if (from !== '' && to !== '' && rest.length === 0) return { from, to }
  const path = `/forbid/${index}`
  const message = 'must be a change of code such as `DENY->ALLOW`'
  throw new EngineError('invalid-request', `\`${path}\` ${message}`, { details: [{ path, message }] })
}

function searchOf({ seeds, budget }: Pick<AnalyzeRequest, 'seeds' | 'budget'>): AnalyzeOptions {
  return { budget: budget ?? DEFAULT_BUDGET, ...(seeds != null && { seeds: seeds as AnalyzeOptions['seeds'] & {} }) }
}

/** A body whose shape was checked before. */
function bodyOf(text: string, numbers: Parameters<typeof parseJson>[1]['numbers']): unknown {
  const parsed = parseJson(text, { duplicateKeys: 'last', numbers })
  if (parsed.kind === 'failed') throw new EngineError('invalid-request', parsed.problem.message)
  return parsed.value
}

/** The last rulesets that were decoded, by their texts: lines of a stream come in many tasks. The latest comes last. */
const decoded = new Map<string, Ruleset>()
/** Two versions, and characters of more. */
const [MIN_DECODED, MAX_DECODED_CHARACTERS] = [2, 4_000_000] as const

function storedRuleset(text: string): Ruleset {
  const known = decoded.get(text)
  if (known !== undefined) {
    decoded.delete(text)
    decoded.set(text, known)
    return known
  }
  const { ruleset, problems } = decodeRuleset(documentIn(text), { isStored: true })
  if (ruleset === undefined) throw new TypeError(`a stored ruleset is invalid: ${problems[0]?.message ?? ''}`)
  decoded.set(text, ruleset)
  let characters = [...decoded.keys()].reduce((sum, one) => sum + one.length, 0)
  for (const oldest of decoded.keys()) {
    if (decoded.size <= MIN_DECODED || characters <= MAX_DECODED_CHARACTERS) break
    decoded.delete(oldest)
    characters -= oldest.length
  }
  return ruleset
}

/** The document of a text that this program wrote. */
function documentIn(text: string): Value {
  const parsed = parseJson(text, { duplicateKeys: 'last', numbers: 'document' })
  if (parsed.kind === 'failed') throw new TypeError(`a stored text: ${parsed.problem.message}`)
  return parsed.value
}

function sentRuleset(body: string): Ruleset {
  const { ruleset: document = null } = bodyOf(body, 'document') as { readonly ruleset?: Value }
  const { ruleset, problems } = decodeRuleset(document)
  if (ruleset !== undefined) return ruleset
  const details = problems.slice(0, MAX_DETAILS).map(({ path, message, code }) => ({
    path: `/ruleset${path}`,
    message,
    code,
  }))
  const [first] = details
  const more = problems.length > 1 ? `; and ${problems.length - 1} more` : ''
  throw new EngineError(
    'unloadable-ruleset',
    `invalid ruleset: \`${first?.path ?? ''}\` ${first?.message ?? ''}${more}`,
    { details },
  )
}

/** The lines of a replay come in many tasks. Other tasks need the memory. */
const lastVersions = new LastVersions()

function replayed({ before, after, lines, callees }: Extract<AnalysisTask, { kind: 'replay' }>): AnalysisAnswer {
  const texts = [before, after, ...callees.flatMap(({ name, text }) => [name, text])]
  const versions = lastVersions.get(
    texts,
    () => new ReplayedVersions(storedRuleset(before), storedRuleset(after), { callees: calleesOf(callees) }),
  )
  const replayer = new Replayer(versions)
  const answers = lines.map(({ number, text, fault }) => {
    const found = fault === undefined ? recordIn(text, versions.numbers) : fault
    if (typeof found === 'string') return { line: number, error: found }
    const result = replayer.add(found)
    if (result.kind === 'not-replayed') return { line: number, reason: result.reason }
    const { isChanged, before: from, after: to } = result
    return isChanged ? { line: number, changed: true, before: from, after: to } : { line: number, changed: false }
  })
  const text = answers.map((answer) => `${stringifyJson(answer)}\n`).join('')
  return { kind: 'done', text, sums: stringifyJson(replayer.replayed()) }
}

/** A record, or the reason why a line has none. */
function recordIn(text: string, numbers: 'double' | 'decimal'): DecisionRecord | string {
  const parsed = parseJson(text, { duplicateKeys: 'last', numbers })
  if (parsed.kind === 'failed') return parsed.problem.message
  return readDecisionRecord(parsed.value)
}

/** The sums of a part of a replay, as its thread wrote them. */
export const sumsOf = (text: string): Replayed => jsonValue(text) as unknown as Replayed
