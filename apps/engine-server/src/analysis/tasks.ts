import {
  analyze,
  type AnalyzeOptions,
  assumedDomain,
  type DecisionRecord,
  impact,
  isFault,
  readDecisionRecord,
  type Replayed,
  Replayer,
  whyNot,
} from '@engine/analysis'
import { type AnalyzeRequest, type ErrorDetail, type ImpactRequest, type WhyNotRequest } from '@engine/api'
import { jsonValue, parseJson, stringifyJson, type Value } from '@engine/expression'
import { decodeRuleset, type Ruleset } from '@engine/ruleset'
import { EngineError, type EngineErrorCode } from '../errors.ts'

/** A task of a thread. Rulesets and bodies are JSON text, which keeps exact numbers. */
export type AnalysisTask =
  | { readonly kind: 'analyze'; readonly ruleset: string; readonly digest: string; readonly body: string }
  /** Its errors and warnings. */
  | { readonly kind: 'findings'; readonly ruleset: string }
  /** `after` undefined: the new version is in the body. */
  | { readonly kind: 'impact'; readonly before: string; readonly after: string | undefined; readonly body: string }
  | { readonly kind: 'why-not'; readonly ruleset: string; readonly body: string }
  | { readonly kind: 'replay'; readonly before: string; readonly after: string; readonly lines: readonly RecordLine[] }

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
    return { kind: 'done', text: stringifyJson(resultOf(task) as Value) }
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    return { kind: 'refused', code: error.code, message: error.message, details: error.details }
  }
}

function resultOf(task: Exclude<AnalysisTask, { kind: 'replay' }>): unknown {
  if (task.kind === 'findings')
    return analyze(storedRuleset(task.ruleset), { budget: WRITE_BUDGET }).findings.filter(isFault)
  if (task.kind === 'impact') return impactOf(task)
  const ruleset = storedRuleset(task.ruleset)
  const { numbers } = ruleset.config
  if (task.kind === 'why-not') {
    const { input, code, changeable } = bodyOf(task.body, numbers) as WhyNotRequest
    return whyNot(ruleset, input as DecisionRecord['input'], { code, ...(changeable != null && { changeable }) })
  }
  const body = bodyOf(task.body, numbers) as AnalyzeRequest
  const { ruleset: name, ...report } = analyze(ruleset, {
    ...searchOf(body),
    ...(body.domain === 'contract' && { domain: assumedDomain(ruleset) }),
  })
  return { ruleset: name, digest: task.digest, ...report }
}

function impactOf({ before, after, body }: Extract<AnalysisTask, { kind: 'impact' }>): unknown {
  const old = storedRuleset(before)
  const { ruleset: sent } = bodyOf(body, 'document') as { readonly ruleset?: Value }
  const young = after === undefined ? sentRuleset(sent ?? null) : storedRuleset(after)
  const numbers = [old, young].some(({ config }) => config.numbers === 'decimal') ? 'decimal' : 'double'
  const request = bodyOf(body, numbers) as ImpactRequest
  const forbid = (request.forbid ?? []).map(transitionOf)
  return impact(old, young, { ...searchOf(request), forbid })
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

/** The last rulesets that were decoded: lines of a stream come in many tasks. */
const decoded: { readonly text: string; readonly ruleset: Ruleset }[] = []
const MAX_DECODED = 2

function storedRuleset(text: string): Ruleset {
  const known = decoded.find((one) => one.text === text)
  if (known !== undefined) return known.ruleset
  const { ruleset, problems } = decodeRuleset(documentIn(text), { isStored: true })
  if (ruleset === undefined) throw new TypeError(`a stored ruleset is invalid: ${problems[0]?.message ?? ''}`)
  decoded.unshift({ text, ruleset })
  decoded.length = Math.min(decoded.length, MAX_DECODED)
  return ruleset
}

/** The document of a text that this program wrote. */
function documentIn(text: string): Value {
  const parsed = parseJson(text, { duplicateKeys: 'last', numbers: 'document' })
  if (parsed.kind === 'failed') throw new TypeError(`a stored text: ${parsed.problem.message}`)
  return parsed.value
}

function sentRuleset(document: Value): Ruleset {
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

function replayed({ before, after, lines }: Extract<AnalysisTask, { kind: 'replay' }>): AnalysisAnswer {
  const [old, young] = [storedRuleset(before), storedRuleset(after)]
  const numbers = [old, young].some(({ config }) => config.numbers === 'decimal') ? 'decimal' : 'double'
  const replayer = new Replayer(old, young)
  const answers = lines.map(({ number, text, fault }) => {
    const found = fault === undefined ? recordIn(text, numbers) : fault
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
